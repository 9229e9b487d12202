import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { recordRequests } from '../src/admin/record-requests.js';
import type { EventListener, GatewayEvent } from '../src/base/events/events.js';
import { memoryApiKeys } from '../src/index.js';
import { type LoggedRequest, memoryRequestLog, type RequestLog } from '../src/ledger/index.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

const EVERYTHING = { limit: 1_000 };
const never = new Promise<never>(() => undefined);

/** The log of a gateway whose first provider fails at the first call. */
function startLogged(log: RequestLog) {
  const { provider } = scripted('exa', [failure('upstream_error', { cost: 4_000_000n }), OUTCOME]);
  const fallbacks = { 'exa/answer': ['you/answer'] };
  return start([provider, scripted('you', [OUTCOME]).provider], { fallbacks, requestLog: { log } });
}

describe('the request log of a gateway', () => {
  it('has a row for each call of a known key, with its attempts, joined to its charge', async () => {
    const log = memoryRequestLog();
    const { gateway, ledger, ask } = startLogged(log);
    await gateway.answer({ apiKey: KEY, model: 'exa/answer', query: 'When?', tag: 'team-1' });
    await ask('exa/answer');
    expect(await reasonOf(ask('exa/nothing'))).toBe('model_not_found');
    expect(await reasonOf(gateway.answer({ apiKey: 'wrong', model: 'exa/answer', query: '?' }))).toBe(
      'invalid_api_key',
    );
    await gateway.close();

    const { rows } = await log.find({}, EVERYTHING);
    expect(rows).toHaveLength(3);
    const fellBack = rows.find(({ tag }) => tag === 'team-1');
    const refused = rows.find(({ status }) => status === 400 || status === 404);
    expect(fellBack).toMatchObject({ status: 200, modelAsked: 'exa/answer', model: 'you/answer', provider: 'you' });
    expect(refused).toMatchObject({ answerId: null, modelAsked: 'exa/nothing', reason: 'model_not_found' });
    const { attempts } = (await log.get(fellBack?.requestId ?? '')) ?? {};
    expect(attempts?.map(({ provider, outcome }) => [provider, outcome])).toEqual([
      ['exa', 'upstream_error'],
      ['you', 'answered'],
    ]);
    for (const { answerId, cost, model } of rows.filter((row) => row.answerId !== null)) {
      const hold = await ledger.findHold(answerId ?? '');
      expect(hold).toMatchObject({ status: 'settled', cost, model });
    }
    const { entries } = await ledger.entries({ organizationId: 'acme' });
    const lost = entries.filter(({ kind }) => kind === 'loss').reduce((sum, { amount }) => sum + amount, 0n);
    expect(rows.reduce((sum, { loss }) => sum + loss, 0n)).toBe(lost);
  });

  it('has the calls that were refused while the engine was down, with the key as it was known last', async () => {
    const log = memoryRequestLog();
    let isDown = false;
    const orDown = <T>(work: () => Promise<T>) => (isDown ? Promise.reject(new Error('down')) : work());
    const clock = createFakeClock(Date.UTC(2026, 10, 21));
    const keys = memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme' }]);
    const { provider, calls } = scripted('exa', [OUTCOME]);
    const { gateway, ask, events } = start([provider], {
      clock,
      apiKeys: { findByHash: (hash) => orDown(async () => keys.findByHash(hash)) },
      requestLog: { log: { ...log, append: (rows) => orDown(() => log.append(rows)) } },
    });
    await ask('exa/answer');
    isDown = true;
    await clock.advance(60_000);
    const stranger = { apiKey: 'another-secret-of-20-characters', model: 'exa/answer', query: 'When?' };
    expect(await reasonOf(gateway.answer(stranger))).toBe('ledger_unavailable');
    for (let call = 0; call < 150; call += 1) expect(await reasonOf(ask('exa/answer'))).toBe('ledger_unavailable');
    await clock.advance(79_000);
    isDown = false;
    await clock.advance(10_000);
    expect(calls).toHaveLength(1);
    const refused = { keyId: 'key', organizationId: 'acme', status: 503, reason: 'ledger_unavailable', cost: null };
    const { rows } = await log.find({ status: 503 }, EVERYTHING);
    expect(rows).toEqual(Array(150).fill(expect.objectContaining(refused)));
    expect((await log.find({}, EVERYTHING)).rows).toHaveLength(151);
    expect(events.filter(({ type }) => type === 'request_log_dropped')).toEqual([]);
  });

  it.each<[string, Partial<RequestLog>]>([
    ['fails', { append: async () => Promise.reject(new Error('the disk is full')) }],
    [
      'throws',
      {
        append() {
          throw new Error('a bug');
        },
      },
    ],
    ['does not answer', { append: async () => never }],
    ['cannot be pruned', { prune: async () => never }],
  ])('costs no call where it %s', async (name, broken) => {
    const { gateway, clock, ask, events } = startLogged({ ...memoryRequestLog(), ...broken });
    for (let call = 0; call < 3; call += 1) await ask('exa/answer');
    await clock.advance(60_000);
    await ask('exa/answer');
    const closed = gateway.close();
    await clock.advance(60_000);
    await closed;
    const lost = events.flatMap((event) => (event.type === 'request_log_dropped' ? [event.count] : []));
    expect(lost).toEqual(name === 'cannot be pruned' ? [] : [4]);
  });
});

/** Finishes calls by hand. */
function startRecording(log: Partial<RequestLog>) {
  const clock = createFakeClock(0.25);
  const emitted: GatewayEvent[] = [];
  let listener: EventListener = () => undefined;
  const stop = recordRequests({
    log: { ...memoryRequestLog(), ...log },
    events: {
      subscribe(given) {
        listener = given;
        return () => undefined;
      },
      emit: (event) => void emitted.push(event),
    },
    clock,
    logger: { warn: () => undefined, error: () => undefined },
    wrote: () => undefined,
    timeoutMs: 1_000,
    keepMs: 86_400_000,
    maxRows: 1_000,
    keepTextsMs: 86_400_000,
  });
  const finish = (requestId: string, organizationId = 'acme'): void => {
    const call = { type: 'request_finished', atMs: clock.now(), requestId, endpoint: 'answer', keyId: 'key' };
    void listener({
      ...call,
      organizationId,
      requestedModel: `x${'😀'.repeat(255)}`,
      firstContentMs: null,
    } as GatewayEvent);
  };
  const hear = (event: object) => void listener(event as GatewayEvent);
  const lost = () => emitted.reduce((sum, event) => sum + (event.type === 'request_log_dropped' ? event.count : 0), 0);
  return { clock, lost, hear, finish, stop };
}

describe('the recorder of calls', () => {
  it('writes in batches, one after the other', async () => {
    const batches: number[] = [];
    let underWay = 0;
    const append = async (rows: readonly LoggedRequest[]) => {
      expect((underWay += 1)).toBe(1);
      batches.push(rows.length);
      await Promise.resolve();
      underWay -= 1;
    };
    const { clock, finish, stop } = startRecording({ append });
    for (let call = 0; call < 250; call += 1) finish(`req_${call}`);
    await clock.advance(0);
    expect(batches).toEqual([100, 100, 50]);
    finish('req_later');
    await clock.advance(499);
    expect(batches).toHaveLength(3);
    await clock.advance(1);
    expect(batches).toEqual([100, 100, 50, 1]);
    finish('req_last');
    await stop();
    expect(batches).toHaveLength(5);
  });

  it('keeps 10,000 calls waiting at most, and counts the others', async () => {
    const { clock, lost, finish } = startRecording({ append: async () => never });
    for (let call = 0; call < 12_000; call += 1) finish(`req_${call}`);
    await clock.advance(0);
    expect(lost()).toBe(12_000 - 10_000 - 100);
    await clock.advance(1_000);
    expect(lost()).toBe(12_000 - 10_000);
  });

  it('writes a batch again that has failed, in its order, and no row twice', async () => {
    const log = memoryRequestLog();
    const faults = ['before', 'after', 'before', 'after'];
    const append: RequestLog['append'] = async (rows) => {
      const fault = faults.shift();
      if (fault !== 'before') await log.append(rows);
      if (fault !== undefined) throw new Error('the connection was lost');
    };
    const { clock, lost, finish, stop } = startRecording({ append });
    const ids = Array.from({ length: 130 }, (_, index) => `req_${String(index).padStart(3, '0')}`);
    for (const id of ids) finish(id);
    await clock.advance(60_000);
    expect((await log.find({}, EVERYTHING)).rows.map(({ requestId }) => requestId)).toEqual(ids.toReversed());
    await stop();
    expect({ lost: lost(), faults }).toEqual({ lost: 0, faults: [] });
  });

  it('loses a row that the log never takes, and no other', async () => {
    const log = memoryRequestLog();
    const wrong = new Set(['req_17', 'req_18', 'req_150']);
    const append: RequestLog['append'] = (rows) =>
      rows.some(({ requestId }) => wrong.has(requestId)) ? Promise.reject(new Error('no text')) : log.append(rows);
    const { clock, lost, finish } = startRecording({ append });
    for (let call = 0; call < 300; call += 1) finish(`req_${call}`);
    for (let call = 300; call < 312; call += 1) {
      await clock.advance(60_000);
      finish(`req_${call}`);
    }
    await clock.advance(60_000);
    expect((await log.find({}, EVERYTHING)).rows).toHaveLength(312 - wrong.size);
    expect(lost()).toBe(wrong.size);
  });

  it('keeps the calls of other organizations through a flood while the log is down', async () => {
    const log = memoryRequestLog({ maxRows: 20_000 });
    let isDown = true;
    const append: RequestLog['append'] = (rows) => (isDown ? Promise.reject(new Error('down')) : log.append(rows));
    const { clock, lost, finish } = startRecording({ append });
    for (let call = 0; call < 20; call += 1) finish(`req_small_${call}`, 'small');
    for (let call = 0; call < 12_000; call += 1) finish(`req_${call}`, 'flood');
    await clock.advance(60_000);
    expect(lost()).toBe(2_020);
    isDown = false;
    await clock.advance(10_000);
    expect((await log.find({ organizations: ['small'] }, EVERYTHING)).rows).toHaveLength(20);
    expect((await log.organizations(9)).length).toBe(2);
    expect(lost()).toBe(2_020);
  });

  it('gives at most four batches to a log that does not answer', async () => {
    let appends = 0;
    const { clock, finish } = startRecording({ append: async () => ((appends += 1), never) });
    for (let minute = 0; minute < 10; minute += 1) {
      finish(`req_${minute}`);
      await clock.advance(60_000);
    }
    expect(appends).toBe(4);
  });

  it('gives to each part of an answer what was charged for it, by its model and in its order', async () => {
    const log = memoryRequestLog();
    const { hear, stop } = startRecording({ append: log.append });
    const attempts: readonly [string, string, (bigint | null)?, bigint?][] = [
      ['a/search', 'upstream_error', 3n, 3n],
      ['a/search', 'answered', null, 5n],
      ['a/search', 'answered', 1n, 6n],
      ['a/search', 'answered', 2n, 2n],
      ['b/read', 'answered', 4n, 4n],
      ['own/answer', 'answered', 9n, 9n],
    ];
    for (const [model, outcome, cost] of attempts) {
      const part = model === 'own/answer' ? undefined : true;
      hear({ type: 'attempt_finished', requestId: 'req_1', provider: 'x', model, outcome, durationMs: 1, cost, part });
    }
    const parts = [
      { model: 'a/search', cost: 5n },
      { model: 'own/answer', cost: 8n },
      { model: 'a/search', cost: 6n },
    ];
    const call = { type: 'request_finished', requestId: 'req_1', atMs: 1, endpoint: 'answer', requestedModel: null };
    hear({ ...call, keyId: 'key', organizationId: 'acme', firstContentMs: null, parts });
    await stop();
    const logged = (await log.get('req_1'))?.attempts;
    expect(logged?.map(({ cost }) => cost)).toEqual(attempts.map(([, , , charged]) => charged));
    expect(logged?.map(({ part }) => part)).toEqual([true, true, true, true, true, undefined]);
  });

  it('keeps of the text of a caller what a name of a model needs, and whole milliseconds', async () => {
    const log = memoryRequestLog();
    const { finish, stop } = startRecording({ append: log.append });
    finish('req_1');
    await stop();
    expect(await log.get('req_1')).toMatchObject({ modelAsked: `x${'😀'.repeat(49)}\ufffd`, atMs: 0 });
  });

  it('removes what is too old, once a minute, in parts', async () => {
    const pruned: number[] = [];
    let left = 3;
    const prune: RequestLog['prune'] = async ({ beforeMs }) => {
      pruned.push(beforeMs);
      left -= 1;
      return Promise.resolve(Math.max(0, left));
    };
    const { clock, finish } = startRecording({ prune });
    finish('req_1');
    await clock.advance(500);
    expect(pruned).toEqual(Array(3).fill(500.25 - 86_400_000));
    finish('req_2');
    await clock.advance(500);
    expect(pruned).toHaveLength(3);
    await clock.advance(60_000);
    finish('req_3');
    await clock.advance(500);
    expect(pruned).toHaveLength(4);
  });

  it('ends within one time limit, whatever waits, and counts what is lost', async () => {
    const { clock, lost, finish, stop } = startRecording({ append: async () => never });
    for (let call = 0; call < 5_000; call += 1) finish(`req_${call}`);
    const startedMs = clock.monotonic();
    const ended = stop().then(() => ({ afterMs: clock.monotonic() - startedMs, lost: lost() }));
    await clock.advance(60_000);
    expect(await ended).toEqual({ afterMs: 1_000, lost: 5_000 });
    expect(lost()).toBe(5_000);
  });
});
