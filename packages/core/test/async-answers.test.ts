import { createFakeClock, type FakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import {
  type ApiKey,
  ConfigurationError,
  type GatewayEvent,
  hashApiKey,
  type IdempotencyStore,
  memoryApiKeys,
  memoryIdempotency,
  memoryLedger,
} from '../src/index.js';
import { type Ledger, memoryRequestLog } from '../src/ledger/index.js';
import { askOverHttp, type HttpAsking, latch, lookUp } from './ask-over-http.js';
import { failure, KEY, OUTCOME, scripted, start as startGateway, whileAdvancing } from './scripted-gateway.js';

const NOW_MS = Date.UTC(2026, 10, 21);
const DAY_MS = 24 * 3_600_000;
const PREFER = { prefer: 'respond-async' };
const never = () => new Promise<never>(() => undefined);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

type Options = NonNullable<Parameters<typeof startGateway>[1]>;
type Replies = Parameters<typeof scripted>[1];

/** A ledger that outlives the gateways of a test. */
function money(clock = createFakeClock(NOW_MS)) {
  return { clock, ledger: memoryLedger({ credits: { acme: '10.00' }, clock }) };
}

function start(replies: Replies, { endpoints, ...options }: Options = {}) {
  const { clock, ledger } = money(options.clock as FakeClock | undefined);
  const exa = scripted('exa', replies);
  const started = startGateway([exa.provider], {
    limit: null,
    maxAttempts: 1,
    clock,
    ledger,
    endpoints: { asyncAnswers: true, ...endpoints },
    ...options,
  });
  const { gateway } = started;
  const chargesOf = async () =>
    (await started.ledger.entries()).entries
      .filter(({ kind }) => kind === 'charge')
      .map(({ id, amount }) => [id, amount]);
  return {
    ...started,
    clock: (options.clock as FakeClock | undefined) ?? clock,
    exa,
    chargesOf,
    askAsync: (asking: HttpAsking = {}) =>
      askOverHttp(gateway, { ...asking, headers: { ...PREFER, ...asking.headers } }),
    look: (id: unknown, method?: string) => lookUp(gateway, id, { ...(method && { method }) }),
  };
}

const finished = (events: readonly GatewayEvent[], type: GatewayEvent['type'] = 'answer_finished') =>
  expect.poll(() => events.filter((event) => event.type === type)).toHaveLength(1);
const eventsOf = (events: readonly GatewayEvent[], type: GatewayEvent['type']) =>
  events.filter((event) => event.type === type);

describe('Prefer: respond-async', () => {
  it('gives no answer that was made under other domain rules', async () => {
    const rules: { domains?: object[] } = {};
    const key = {
      id: 'key',
      organizationId: 'acme',
      label: 'demo',
      limit: null,
      limitReset: null,
      allowedModels: null,
    };
    const found = { ...key, expiresAtMs: null, revokedAtMs: null, organizationSuspended: false };
    const apiKeys = { findByHash: async () => ({ ...found, ...rules }) as ApiKey };
    const { askAsync, look, events, gateway } = start([OUTCOME], { apiKeys });
    const { body } = await askAsync();
    await finished(events);
    expect((await look(body['id'])).body).toHaveProperty('answer');
    rules.domains = [{ never: ['example.org'] }];
    gateway.invalidateKey(hashApiKey(KEY));
    expect(await look(body['id'])).toMatchObject({ status: 404, body: { error: { reason: 'answer_not_found' } } });
  });

  it('gets a 202 before the answer exists, and the answer by its id, charged once', async () => {
    const slow = latch();
    const { askAsync, look, chargesOf, events } = start([slow.reply]);
    const { status, headers, body } = await askAsync();
    expect({ status, body }).toEqual({ status: 202, body: { id: expect.stringMatching(/^async_/) as string } });
    expect(headers).toMatchObject({ location: `answers/${String(body['id'])}`, 'preference-applied': 'respond-async' });
    const held = await look(body['id']);
    expect(held).toMatchObject({ status: 200, body: { id: body['id'], status: 'held', cost: 0, ended_at: null } });
    expect(held.body).not.toHaveProperty('answer');
    expect(held.body).not.toHaveProperty('error');

    slow.open();
    await finished(events);
    const answer = {
      id: body['id'],
      model: 'exa/answer',
      provider: 'exa',
      answer: OUTCOME.text,
      citations: [{ title: 'A', url: 'https://example.org/a', snippet: 'Opened.' }],
      usage: { cost: 0.005 },
    };
    for (let looks = 0; looks < 3; looks += 1)
      expect((await look(body['id'])).body).toMatchObject({ status: 'charged', cost: 0.005, answer });
    expect(await chargesOf()).toEqual([[body['id'], 5_000_000n]]);
  });

  it('ends in one event of the request, with its cost, and one of the answer', async () => {
    const { askAsync, events } = start([OUTCOME]);
    const { body } = await askAsync();
    await finished(events, 'request_finished');
    const about = { answerId: body['id'], keyId: 'key', organizationId: 'acme', cost: 5_000_000n, reason: null };
    expect(eventsOf(events, 'request_finished')).toMatchObject([{ ...about, status: 202, attempts: 1 }]);
    expect(eventsOf(events, 'answer_finished')).toMatchObject([about]);
  });

  it.each(['respond-async, wait=10', 'wait=10,Respond-Async', 'respond-async; a=b'])(
    'is understood as %s',
    async (prefer) => {
      expect(await start([OUTCOME]).askAsync({ headers: { prefer } })).toMatchObject({ status: 202 });
    },
  );

  it.each(['return=minimal', 'respond-asynchronously', 'x;respond-async'])(
    'is not understood as %s',
    async (prefer) => {
      expect(await start([OUTCOME]).askAsync({ headers: { prefer } })).toMatchObject({ status: 200 });
    },
  );

  it('refuses a call without money at once', async () => {
    const { askAsync } = start([OUTCOME], { limit: '0.001' });
    expect(await askAsync()).toMatchObject({ status: 402, body: { error: { reason: 'key_limit_reached' } } });
  });

  it('needs a store of idempotency keys', () => {
    const { ledger } = money();
    const without = { ...ledger, idempotency: undefined };
    expect(() => start([OUTCOME], { ledger: without })).toThrow(ConfigurationError);
    expect(() => start([OUTCOME], { ledger: without, idempotency: memoryIdempotency() })).not.toThrow();
  });

  it('gives the same 202 to a repeat with its Idempotency-Key, and refuses the key for a call that waits', async () => {
    const { askAsync, exa, events, gateway, chargesOf } = start([OUTCOME]);
    const headers = { 'idempotency-key': 'order-17' };
    const first = await askAsync({ headers });
    await finished(events);
    const again = await askAsync({ headers });
    expect(again).toMatchObject({ status: 202, body: first.body, headers: { 'idempotent-replayed': 'true' } });
    expect(again.headers['location']).toBe(first.headers['location']);
    expect(await askOverHttp(gateway, { headers })).toMatchObject({ status: 422 });
    expect(exa.calls).toHaveLength(1);
    expect(await chargesOf()).toHaveLength(1);
  });

  it('keeps its slot until its end', async () => {
    const slow = latch();
    const { askAsync, events } = start([slow.reply], { maxInFlightPerKey: 1 });
    await askAsync();
    expect(await askAsync()).toMatchObject({ status: 503, body: { error: { reason: 'overloaded' } } });
    slow.open();
    await finished(events);
    await turn();
    expect(await askAsync()).toMatchObject({ status: 202 });
  });

  it('finishes, charges and keeps the answer of a caller who is gone before the 202', async () => {
    const connection = { closed: false };
    const { clock, ledger } = money();
    const hold: Ledger['hold'] = (request) => {
      connection.closed = true;
      return ledger.hold(request);
    };
    const { askAsync, events, look, chargesOf } = start([OUTCOME], { clock, ledger: { ...ledger, hold } });
    const headers = { 'idempotency-key': 'order-17' };
    await askAsync({ connection, headers });
    await finished(events);
    const { id } = (await askAsync({ headers })).body;
    expect((await look(id)).body).toMatchObject({ status: 'charged', answer: { id } });
    expect(await chargesOf()).toHaveLength(1);
  });

  it('charges nothing for a caller who is gone before the money is held', async () => {
    const { askAsync, exa, totals } = start([OUTCOME]);
    expect(await askAsync({ connection: { closed: true } })).toMatchObject({ status: 499 });
    expect(exa.calls).toEqual([]);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });
});

describe('an asynchronous answer that fails', () => {
  it('is the ordinary error, and costs nothing', async () => {
    const { askAsync, look, events, totals } = start([failure('query_rejected')]);
    const { id } = (await askAsync()).body;
    await finished(events);
    expect((await look(id)).body).toMatchObject({
      status: 'released',
      cost: 0,
      error: { code: 400, reason: 'query_rejected', retryable: false, metadata: { provider: 'exa', attempts: 1 } },
    });
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    expect(eventsOf(events, 'answer_finished')).toMatchObject([{ reason: 'query_rejected', cost: null }]);
  });

  it('is too large above the length that is kept: the operator has the loss', async () => {
    const text = 'x'.repeat(1_024 * 1_024);
    const { askAsync, look, events, kinds } = start([{ ...OUTCOME, text, cost: { reported: 3_000_000n } }]);
    const { id } = (await askAsync()).body;
    await finished(events);
    expect((await look(id)).body).toMatchObject({ status: 'released', error: { reason: 'answer_too_large' } });
    expect(await kinds()).toEqual([
      ['grant', 10_000_000_000n],
      ['loss', 3_000_000n],
    ]);
  });

  it('is too large for a store that forgets it at once', async () => {
    const idempotency = memoryIdempotency({ maxBytes: 65_536 });
    const { askAsync, look, events, chargesOf } = start([{ ...OUTCOME, text: 'x'.repeat(60_000) }], { idempotency });
    const { id } = (await askAsync()).body;
    await finished(events);
    expect((await look(id)).body).toMatchObject({ status: 'released', error: { reason: 'answer_too_large' } });
    expect(await chargesOf()).toEqual([]);
  });

  it('is not shown to another key', async () => {
    const other = 'another-secret-of-twenty-characters';
    const apiKeys = memoryApiKeys([
      { apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' },
      { apiKey: other, id: 'other', label: 'other', organizationId: 'acme' },
    ]);
    const { askAsync, events, gateway } = start([OUTCOME], { apiKeys });
    const { id } = (await askAsync()).body;
    await finished(events);
    for (const method of ['GET', 'DELETE'])
      expect(await lookUp(gateway, id, { method, apiKey: other })).toMatchObject({ status: 404 });
  });
});

describe('DELETE', () => {
  it('lets the attempt under way be finished, charged and fetched', async () => {
    const slow = latch();
    const { askAsync, look, events, chargesOf } = start([slow.reply]);
    const { id } = (await askAsync()).body;
    expect(await look(id, 'DELETE')).toMatchObject({ status: 200, body: { status: 'held' } });
    slow.open();
    await finished(events);
    expect((await look(id)).body).toMatchObject({ status: 'charged', answer: { id } });
    expect(await chargesOf()).toHaveLength(1);
    expect(await look(id, 'DELETE')).toMatchObject({ status: 200, body: { status: 'charged' } });
  });

  it.each(['in the same process', 'in another process'])('lets no further attempt begin, %s', async (where) => {
    const { clock, ledger } = money();
    const slow = latch();
    const failing = async () => {
      await slow.reply();
      throw failure('upstream_error');
    };
    const { askAsync, look, events, exa, totals } = start([failing, OUTCOME], { clock, ledger, maxAttempts: 3 });
    const other = start([OUTCOME], { clock, ledger });
    const { id } = (await askAsync()).body;
    const end = where === 'in the same process' ? look : other.look;
    for (let times = 1; times <= 2; times += 1)
      expect(await end(id, 'DELETE')).toMatchObject({ status: 200, body: { status: 'held' } });
    await clock.advance(5_000);
    slow.open();
    await turn();
    await clock.advance(1_000);
    await finished(events);
    expect((await look(id)).body).toMatchObject({ status: 'released', error: { reason: 'client_closed_request' } });
    expect(exa.calls).toHaveLength(1);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('knows no answer whose caller waited', async () => {
    const { gateway, look } = start([OUTCOME]);
    const { id } = (await askOverHttp(gateway)).body;
    expect(await look(id, 'DELETE')).toMatchObject({ status: 404 });
  });
});

/** Stops a store or a ledger like the end of its process: the operation never returns. */
const stopped =
  <T extends object>(name: keyof T) =>
  (whole: T): T => ({ ...whole, [name]: never });

describe('a gateway that ends', () => {
  const killedLedger = stopped<Ledger>('settle');

  it('before the answer is kept leaves an error that charged nothing, whoever settles later', async () => {
    const { clock, ledger } = money();
    const complete: IdempotencyStore['complete'] = never;
    const killed = start([OUTCOME], { clock, ledger, idempotency: { ...ledger.idempotency, complete } });
    const { id } = (await killed.askAsync()).body;
    const { look, chargesOf } = start([OUTCOME], { clock, ledger });
    expect((await look(id)).body).toMatchObject({ status: 'held' });
    await ledger.expireHolds(clock.now() + DAY_MS);
    for (let looks = 0; looks < 2; looks += 1)
      expect((await look(id)).body).toMatchObject({ status: 'released', error: { reason: 'answer_lost' } });
    const charge = { cost: 1n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;
    expect(await ledger.settle(String(id), charge)).toMatchObject({ status: 'released', first: false });
    expect(await chargesOf()).toEqual([]);
  });

  it.each(['before its hold expires', 'after its hold has expired'])(
    'between keeping and charging leaves an answer that the look-up charges, %s',
    async (when) => {
      const { clock, ledger } = money();
      const losing = [failure('upstream_error', { cost: { reported: 7n } } as object), OUTCOME];
      const killed = start(losing, { clock, ledger: killedLedger(ledger), maxAttempts: 2, retryBaseDelayMs: 0 });
      const { id } = (await killed.askAsync()).body;
      await clock.advance(0);
      await clock.advance(1_000);
      await turn();
      expect(killed.exa.calls).toHaveLength(2);
      if (when !== 'before its hold expires') await ledger.expireHolds(clock.now() + DAY_MS);
      const alerts = { creditsLow: '9.999' };
      const { look, chargesOf, events } = start([OUTCOME], { clock, ledger, alerts });
      const looks = await Promise.all([look(id), look(id), look(id)]);
      for (const { body } of looks) expect(body).toMatchObject({ status: 'charged', cost: 0.005, answer: { id } });
      expect(await chargesOf()).toEqual([[id, 5_000_000n]]);
      await finished(events, 'credits_low');
    },
  );

  it.each(['answers', 'fails once', 'loses its reply once'])(
    'has its call in events and log where the look-up charges it, once, and the ledger %s',
    async (how) => {
      const { clock, ledger } = money();
      const losing = [failure('upstream_error', { cost: 7n }), OUTCOME];
      const key = { apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', budgets: ['team'] };
      const apiKeys = memoryApiKeys([key], { budgets: [{ organizationId: 'acme', id: 'team', limit: '1' }] });
      const dying = { clock, ledger: killedLedger(ledger), maxAttempts: 2, retryBaseDelayMs: 0, apiKeys };
      const killed = start(losing, dying);
      const { id } = (await killed.askAsync({ body: { tag: 'team-1' } })).body;
      await clock.advance(1_000);
      await turn();
      const log = memoryRequestLog();
      let failures = how === 'answers' ? 0 : 1;
      const settle: Ledger['settle'] = async (...given) => {
        if (how === 'fails once' && failures-- > 0) throw new Error('down');
        const ending = await ledger.settle(...given);
        if (failures-- > 0) throw new Error('the connection was lost');
        return ending;
      };
      const options = { clock, ledger: { ...ledger, settle }, requestLog: { log } };
      const { look, events, gateway } = start([OUTCOME], options);
      for (let looks = 0; looks < 3; looks += 1) await Promise.all([look(id), look(id)]);
      await gateway.close();
      const charge = { answerId: id, keyId: 'key', organizationId: 'acme', cost: 5_000_000n, reason: null };
      const call = { ...charge, tag: 'team-1', model: 'exa/answer', provider: 'exa', loss: 7n, status: 202 };
      expect(eventsOf(events, 'answer_finished')).toMatchObject([charge]);
      expect(
        eventsOf(events, 'request_finished').filter((event) => 'cost' in event && event.cost !== null),
      ).toMatchObject([
        { ...call, budgets: ['team'], endpoint: 'answer', requestedModel: 'exa/answer', upstreamCost: 5_000_000n },
      ]);
      const { rows } = await log.find({}, { limit: 100 });
      expect(rows).toMatchObject([{ ...call, modelAsked: 'exa/answer' }]);
    },
  );

  it('never charges an answer whose hold was released while the store was away', async () => {
    const { clock, ledger } = money();
    let isAway = true;
    const complete: IdempotencyStore['complete'] = (...given) =>
      isAway ? Promise.reject(new Error('away')) : ledger.idempotency.complete(...given);
    const { askAsync, look, events, chargesOf, exa } = start([OUTCOME], {
      clock,
      ledger,
      idempotency: { ...ledger.idempotency, complete },
    });
    const { id } = (await askAsync()).body;
    await turn();
    expect(exa.calls).toHaveLength(1);
    await ledger.expireHolds(clock.now() + DAY_MS);
    expect((await look(id)).body).toMatchObject({ error: { reason: 'answer_lost' } });
    isAway = false;
    await whileAdvancing(clock, finished(events));
    expect((await look(id)).body).toMatchObject({ status: 'released', error: { reason: 'answer_lost' } });
    expect(await chargesOf()).toEqual([]);
  });

  it('charges only once the store, back again, has the answer', async () => {
    const { clock, ledger } = money();
    let isAway = true;
    const complete: IdempotencyStore['complete'] = (...given) =>
      isAway ? Promise.reject(new Error('away')) : ledger.idempotency.complete(...given);
    const idempotency = { ...ledger.idempotency, complete };
    const { askAsync, look, events, chargesOf } = start([OUTCOME], { clock, ledger, idempotency });
    const { id } = (await askAsync()).body;
    await clock.advance(4_000);
    expect((await look(id)).body).toMatchObject({ status: 'held' });
    expect(await chargesOf()).toEqual([]);
    isAway = false;
    await whileAdvancing(clock, finished(events));
    expect((await look(id)).body).toMatchObject({ status: 'charged', answer: { id } });
    expect(await chargesOf()).toHaveLength(1);
  });

  it('by close() charges nothing for a call that has not finished', async () => {
    const { clock, ledger } = money();
    const { askAsync, gateway, totals } = start([never], { clock, ledger, drainTimeoutMs: 1_000 });
    const { id } = (await askAsync()).body;
    const closed = gateway.close();
    await clock.advance(1_000);
    await closed;
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    const { look } = start([OUTCOME], { clock, ledger });
    expect((await look(id)).body).toMatchObject({ status: 'released', error: { reason: 'shutting_down' } });
  });

  it('by close() lets a call finish within the drain time', async () => {
    const { clock, ledger } = money();
    const slow = latch();
    const { askAsync, gateway } = start([slow.reply], { clock, ledger, drainTimeoutMs: 1_000 });
    const { id } = (await askAsync()).body;
    const closed = gateway.close();
    slow.open();
    await closed;
    expect((await start([OUTCOME], { clock, ledger }).look(id)).body).toMatchObject({
      status: 'charged',
      answer: { id },
    });
  });

  it('and one day after the charge the text is gone, and the charge is still shown', async () => {
    const { clock, askAsync, look, events } = start([OUTCOME]);
    const { id } = (await askAsync()).body;
    await finished(events);
    await clock.advance(DAY_MS);
    const { body } = await look(id);
    expect(body).toMatchObject({ status: 'charged', cost: 0.005 });
    expect(body).not.toHaveProperty('answer');
    expect(body).not.toHaveProperty('error');
  });
});

describe('an asynchronous answer beside other calls', () => {
  it('leads and joins equal calls, each charged once', async () => {
    const slow = latch();
    const { askAsync, look, events, exa, chargesOf } = start([slow.reply], { coalescing: true });
    const ids = [(await askAsync()).body['id'], (await askAsync()).body['id']];
    slow.open();
    await expect.poll(() => eventsOf(events, 'answer_finished')).toHaveLength(2);
    for (const id of ids) expect((await look(id)).body).toMatchObject({ status: 'charged', answer: { id } });
    expect(exa.calls).toHaveLength(1);
    expect(await chargesOf()).toHaveLength(2);
  });
});
