import { createFakeClock } from '@searchgate/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GatewayEvent, memoryLedger } from '../src/index.js';
import type { AnswerOutcome, Provider, ProviderKey, ProviderKeys } from '../src/provider-kit/index.js';
import { failure, KEY, OUTCOME, reasonOf, scripted, start, streaming, whileAdvancing } from './scripted-gateway.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const REJECTED = () => failure('upstream_auth_failed', { status: 401 });
const OUT_OF_CREDIT = () => failure('upstream_quota_exhausted', { status: 402 });
const LIMITED = (retryAfterMs?: number) => failure('upstream_rate_limited', { status: 429, retryAfterMs });

type Reply = () => AnswerOutcome | Error | Promise<AnswerOutcome | Error>;

/** A provider with keys, which replies to each key as the test says: by default with an answer. */
function keyed(replies: Record<string, Reply>, more: Partial<ProviderKeys> & { readonly id?: string } = {}) {
  const { id = 'exa', ...keys } = more;
  const { provider } = scripted(id, [OUTCOME]);
  const asked: (string | undefined)[] = [];
  const list = Object.keys(replies).map((name): ProviderKey => ({ name }));
  const own: Provider = {
    ...provider,
    keys: { pick: 'first', list, ...keys },
    answer: {
      async answer(_call, { keyName }) {
        asked.push(keyName);
        const reply = await replies[keyName ?? '']?.();
        if (reply instanceof Error) throw reply;
        return reply ?? OUTCOME;
      },
    },
  };
  const times = (name: string) => asked.filter((each) => each === name).length;
  return { provider: own, asked, times, replies };
}

const good = () => OUTCOME;

function keyEvents(events: readonly GatewayEvent[]) {
  return events.flatMap((event) =>
    event.type === 'provider_key_failed' || event.type === 'provider_key_recovered'
      ? [[event.type.slice('provider_key_'.length), event.key, event.state]]
      : [],
  );
}

describe('a key that the provider refuses', () => {
  it.each([
    ['rejected', REJECTED, 'first'],
    ['rejected', REJECTED, 'least-used'],
    ['out_of_credit', OUT_OF_CREDIT, 'first'],
    ['out_of_credit', OUT_OF_CREDIT, 'least-used'],
    ['rate_limited', () => LIMITED(MINUTE_MS), 'first'],
    ['rate_limited', () => LIMITED(MINUTE_MS), 'least-used'],
  ] as const)('is asked once while it is %s, and every call succeeds', async (state, refusal, pick) => {
    const vendor = keyed({ main: refusal, spare: good }, { pick });
    const { ask, totals, events, gateway } = start([vendor.provider]);
    for (let call = 0; call < 36; call += 1) expect(await reasonOf(ask('exa/answer'))).toBe('answered');
    expect([vendor.times('main'), vendor.times('spare')]).toEqual([1, 36]);
    expect(await totals()).toMatchObject({ usage: 36n * 5_000_000n, held: 0n });
    expect(gateway.status().providers[0]).toMatchObject({
      state: 'serving',
      keys: [
        { name: 'main', state },
        { name: 'spare', state: 'serving', outUntilMs: null },
      ],
    });
    await gateway.close();
    expect(keyEvents(events)).toEqual([['failed', 'main', state]]);
    const attempts = events.filter((event) => event.type === 'attempt_finished');
    expect(attempts.map(({ key, outcome }) => [key, outcome])).toEqual(Array(36).fill(['spare', 'answered']));
  });

  it.each([
    // Minutes to wait, and how often two calls then ask the key.
    ['until the next reload', REJECTED, '43200:0'],
    ['for 15 minutes, and twice as long each time', OUT_OF_CREDIT, '15:1 29:0 1:1 59:0 1:1'],
    ['as long as the provider asks for', () => LIMITED(90_000), '1:0 1:1'],
    ['for the cooldown, where the provider does not say how long', () => LIMITED(), '0.4:0 0.1:1'],
  ])('is left out %s', async (_, refusal, steps) => {
    const vendor = keyed({ main: refusal, spare: good });
    const { ask, clock } = start([vendor.provider], { expireHoldsEveryMs: 0 });
    await ask('exa/answer');
    for (const step of steps.split(' ')) {
      const [minutes = 0, expected] = step.split(':').map(Number);
      const before = vendor.times('main');
      await clock.advance(minutes * MINUTE_MS);
      await ask('exa/answer');
      await ask('exa/answer');
      expect(vendor.times('main') - before).toBe(expected);
    }
  });

  it('is left out for a day at most for want of credit, and from anew after it has served', async () => {
    const vendor = keyed({ main: OUT_OF_CREDIT, spare: good });
    const { ask, clock, events, gateway } = start([vendor.provider], { expireHoldsEveryMs: 0 });
    for (let day = 0; day < 12; day += 1) {
      await ask('exa/answer');
      await clock.advance(DAY_MS);
    }
    expect(vendor.times('main')).toBe(12);
    for (const reply of [good, OUT_OF_CREDIT]) {
      vendor.replies['main'] = reply;
      await ask('exa/answer');
    }
    await clock.advance(15 * MINUTE_MS);
    await ask('exa/answer');
    expect(vendor.times('main')).toBe(15);
    await gateway.close();
    const out = ['main', 'out_of_credit'];
    expect(keyEvents(events)).toEqual(['failed', 'recovered', 'failed'].map((what) => [what, ...out]));
  });

  it('is asked by no call that begins later, when 50 calls find it dead at once', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const slow = () => opened.then(OUT_OF_CREDIT);
    const vendor = keyed({ main: slow, spare: good });
    const { ask, clock, events, gateway, totals } = start([vendor.provider], { maxInFlight: 1_000 });
    const first = Array.from({ length: 50 }, () => reasonOf(ask('exa/answer')));
    await clock.advance(0);
    expect(vendor.times('main')).toBe(50);
    open();
    const next = Array.from({ length: 50 }, () => reasonOf(ask('exa/answer')));
    expect(new Set(await Promise.all([...first, ...next]))).toEqual(new Set(['answered']));
    expect(vendor.times('main')).toBeLessThanOrEqual(100);
    const before = vendor.times('main');
    await Promise.all(Array.from({ length: 50 }, () => ask('exa/answer')));
    expect(vendor.times('main')).toBe(before);
    expect(await totals()).toMatchObject({ usage: 150n * 5_000_000n, held: 0n });
    // One failure, so one pause: it did not double fifty times.
    await clock.advance(15 * MINUTE_MS);
    await ask('exa/answer');
    expect(vendor.times('main')).toBe(before + 1);
    await gateway.close();
    expect(keyEvents(events)).toEqual([['failed', 'main', 'out_of_credit']]);
  });

  it('is tried again by one call alone after its pause', async () => {
    const never = () => new Promise<AnswerOutcome>(() => undefined);
    const vendor = keyed({ main: OUT_OF_CREDIT, spare: good });
    const { ask, clock } = start([vendor.provider]);
    await ask('exa/answer');
    await clock.advance(15 * MINUTE_MS);
    vendor.replies['main'] = never;
    const probe = reasonOf(ask('exa/answer'));
    for (let call = 0; call < 5; call += 1) expect(await reasonOf(ask('exa/answer'))).toBe('answered');
    expect(vendor.times('main')).toBe(2);
    await whileAdvancing(clock, probe);
  });
});

it('does not leave a key out for a request that began before the key was left out and came back', async () => {
  const fails: (() => void)[] = [];
  const late = () => new Promise<Error>((resolve) => fails.push(() => resolve(REJECTED())));
  const vendor = keyed({ main: late, spare: good });
  const { ask, clock, gateway } = start([vendor.provider]);
  const first = ask('exa/answer');
  await clock.advance(0);
  vendor.replies['main'] = () => LIMITED(1_000);
  await ask('exa/answer');
  vendor.replies['main'] = good;
  await clock.advance(1_000);
  await ask('exa/answer');
  fails[0]?.();
  await first;
  expect(gateway.status().providers[0]?.keys).toMatchObject([{ state: 'serving' }, { state: 'serving' }]);
});

it('needs a name of its own for each key, also of a provider that a host wrote', () => {
  const { provider } = keyed({}, { list: [{ name: 'main' }, { name: 'main' }] });
  expect(() => start([provider])).toThrow('exa.keys.list: found an array of 2, expected no name twice');
});

describe('other failures', () => {
  it.each([
    ['upstream_error', failure('upstream_error')],
    ['upstream_timeout', failure('upstream_timeout')],
    ['upstream_unreachable', failure('upstream_unreachable', { status: null })],
    ['upstream_rejected', failure('upstream_rejected')],
    ['query_rejected', failure('query_rejected')],
  ] as const)('never change the key: %s', async (reason, error) => {
    const vendor = keyed({ main: () => error, spare: good });
    const { ask, clock, gateway } = start([vendor.provider], { maxAttempts: 1 });
    expect(await whileAdvancing(clock, reasonOf(ask('exa/answer')))).toBe(reason);
    expect(vendor.asked).toEqual(['main']);
    expect(gateway.status().providers[0]?.keys).toMatchObject([{ state: 'serving' }, { state: 'serving' }]);
  });
});

describe('a provider without a good key', () => {
  const dead = () => keyed({ main: REJECTED, spare: OUT_OF_CREDIT, third: REJECTED });

  it('fails with the reason of the last key, costs nothing, and counts once for the circuit', async () => {
    const vendor = dead();
    const { ask, totals, clock, gateway } = start([vendor.provider], { providerFailureThreshold: 3 });
    await expect(ask('exa/answer')).rejects.toMatchObject({
      reason: 'upstream_auth_failed',
      details: { provider: 'exa', attempts: 1, upstreamStatus: 401 },
    });
    expect(vendor.asked).toEqual(['main', 'spare', 'third']);
    expect(gateway.status().providers[0]?.state).toBe('serving');
    // As with a single key, the circuit decides: one key is asked for each call, which does not make its pause longer.
    const pauses = () => gateway.status().providers[0]?.keys?.map(({ outUntilMs }) => outUntilMs);
    expect(pauses()).toEqual([null, clock.now() + 15 * MINUTE_MS, null]);
    expect(await reasonOf(ask('exa/answer'))).toBe('upstream_quota_exhausted');
    expect(await reasonOf(ask('exa/answer'))).toBe('upstream_quota_exhausted');
    expect(gateway.status().providers[0]?.state).toBe('paused');
    expect(await reasonOf(ask('exa/answer'))).toBe('upstream_unavailable');
    expect(vendor.asked).toHaveLength(5);
    expect(pauses()).toEqual([null, clock.now() + 15 * MINUTE_MS, null]);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    vendor.replies['spare'] = good;
    await clock.advance(30_000);
    expect(await reasonOf(ask('exa/answer'))).toBe('answered');
    expect(gateway.status().providers[0]).toMatchObject({ state: 'serving', keys: [{}, { state: 'serving' }, {}] });
  });

  it('leaves the call to the fallback', async () => {
    const vendor = dead();
    const you = scripted('you', [OUTCOME]);
    const { ask, totals } = start([vendor.provider, you.provider], { fallbacks: { 'exa/answer': ['you/answer'] } });
    expect(await ask('exa/answer')).toMatchObject({ model: 'you/answer' });
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('does not count for the circuit while a key serves', async () => {
    const busy = () => new Promise<AnswerOutcome>(() => undefined);
    const list = [{ name: 'main' }, { name: 'spare', maxConcurrent: 1 }];
    const vendor = keyed({ main: REJECTED, spare: busy }, { list });
    const { ask, clock, gateway } = start([vendor.provider], { providerFailureThreshold: 1, maxAttempts: 1 });
    const first = reasonOf(ask('exa/answer'));
    const second = reasonOf(ask('exa/answer'));
    await clock.advance(1_000);
    expect(await second).toBe('upstream_auth_failed');
    expect(gateway.status().providers[0]?.state).toBe('serving');
    expect(await whileAdvancing(clock, first)).toBe('upstream_timeout');
  });
});

describe('the attempt', () => {
  it('keeps its deadline over all keys', async () => {
    const clock = createFakeClock(0);
    const slow = () => new Promise<never>((_, reject) => clock.schedule(9_000, () => reject(REJECTED())));
    const never = () => new Promise<AnswerOutcome>(() => undefined);
    const vendor = keyed({ main: slow, spare: never });
    const { ask, totals } = start([vendor.provider], {
      clock,
      ledger: memoryLedger({ credits: { acme: '10' }, clock }),
      maxAttempts: 1,
    });
    const ended = reasonOf(ask('exa/answer'));
    await clock.advance(9_999);
    expect(vendor.asked).toEqual(['main', 'spare']);
    await clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(0);
    expect(await ended).toBe('upstream_timeout');
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('that ends while it waits for a key costs no more than its request, and tells nothing about the provider', async () => {
    const clock = createFakeClock(0);
    const after = (ms: number, reply: Reply) => () =>
      new Promise<AnswerOutcome | Error>((resolve) => clock.schedule(ms, () => resolve(reply())));
    const billed = after(500, () => failure('upstream_rate_limited', { cost: 7n }));
    const list = ['main', 'spare'].map((name) => ({ name, maxConcurrent: 1 }));
    const vendor = keyed({ main: billed, spare: after(9_950, good) }, { list });
    const { ask, gateway, kinds, totals } = start([{ ...vendor.provider, limits: { maxQueueMs: 60_000 } }], {
      clock,
      ledger: memoryLedger({ credits: { acme: '10' }, clock }),
      maxAttempts: 1,
      providerFailureThreshold: 1,
    });
    const first = reasonOf(ask('exa/answer'));
    await clock.advance(100);
    const both = await whileAdvancing(clock, Promise.all([first, reasonOf(ask('exa/answer'))]));
    expect(both).toEqual(['upstream_rate_limited', 'answered']);
    expect((await kinds()).filter(([kind]) => kind === 'loss')).toEqual([['loss', 7n]]);
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
    expect(gateway.status().providers[0]?.state).toBe('serving');
  });

  it('asks no other key for a caller who has gone away', async () => {
    const left = new AbortController();
    const vendor = keyed({ main: async () => (left.abort(), LIMITED()), spare: good });
    const { gateway, totals } = start([vendor.provider]);
    const { signal } = left;
    const ended = gateway.answer({ apiKey: KEY, model: 'exa/answer', query: 'When did it open?', signal });
    expect(await reasonOf(ended)).toBe('client_closed_request');
    await gateway.close();
    expect(vendor.asked).toEqual(['main']);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('books what a refused key has cost, beside the charge of the answer', async () => {
    const billed = () => failure('upstream_quota_exhausted', { cost: 3n });
    const { ask, kinds, totals } = start([keyed({ main: billed, spare: good }).provider]);
    await ask('exa/answer');
    expect(Object.fromEntries(await kinds())).toMatchObject({ charge: 5_000_000n, loss: 3n });
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('charges each call once or not at all, whatever the keys say', async () => {
    const billed = () => failure('upstream_quota_exhausted', { cost: 7n });
    const refusals = [REJECTED, OUT_OF_CREDIT, () => LIMITED(1_000), billed];
    const replies = fc.constantFrom<Reply>(...refusals, () => failure('upstream_error', { cost: 11n }), good, good);
    const step = fc.record({ replies: fc.tuple(replies, replies, replies), calls: fc.nat(4), waitMs: fc.nat(DAY_MS) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 8 }),
        fc.constantFrom('first', 'least-used'),
        async (steps, pick) => {
          let lost = 0n;
          const counted = (reply: Reply) => async () => {
            const result = await reply();
            if (result instanceof Error) lost += (result as { cost?: bigint | null }).cost ?? 0n;
            return result;
          };
          const vendor = keyed({ a: good, b: good, c: good }, { pick });
          const { ask, clock, totals, kinds } = start([vendor.provider], { limit: null, expireHoldsEveryMs: 0 });
          let answered = 0n;
          for (const { replies: each, calls, waitMs } of steps) {
            const [a, b, c] = each;
            Object.assign(vendor.replies, { a: counted(a), b: counted(b), c: counted(c) });
            const ended = Promise.all(Array.from({ length: calls }, () => reasonOf(ask('exa/answer'))));
            for (const reason of await whileAdvancing(clock, ended)) if (reason === 'answered') answered += 1n;
            await clock.advance(waitMs);
          }
          expect(await totals()).toMatchObject({ usage: answered * 5_000_000n, held: 0n });
          const losses = (await kinds()).filter(([kind]) => kind === 'loss');
          expect(losses.reduce((sum, [, amount]) => sum + BigInt(amount as bigint), 0n)).toBe(lost);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a stream', () => {
  /** Streams the words of a key, then fails with its error, or ends. */
  function streamed(replies: Record<string, { words: string[]; cites?: boolean; error?: Error }>) {
    const asked: (string | undefined)[] = [];
    const provider = streaming(async (_call, { keyName = '' }, live) => {
      asked.push(keyName);
      const { words = [], cites = false, error } = replies[keyName] ?? {};
      if (cites) live.citations([{ url: `https://${keyName}.example.org/` }]);
      for (const word of words) live.text(word);
      if (error !== undefined) throw error;
      return { ...OUTCOME, text: words.join(''), citations: [] };
    });
    const list = Object.keys(replies).map((name) => ({ name }));
    return { provider: { ...provider, keys: { pick: 'first', list } } satisfies Provider, asked };
  }

  async function play(gateway: ReturnType<typeof start>['gateway']) {
    const seen: unknown[] = [];
    try {
      for await (const event of gateway.answerStream({ apiKey: KEY, model: 'exa/answer', query: 'q' }))
        seen.push(event.type === 'delta' ? event.text : event.type === 'error' ? event.error.reason : event.type);
    } catch (error) {
      seen.push((error as { reason: string }).reason);
    }
    return seen;
  }

  it('goes on with the next key before the first part, and shows nothing of the first key', async () => {
    const { provider, asked } = streamed({
      main: { words: [], cites: true, error: LIMITED() },
      spare: { words: ['Open ', 'since 2021.'] },
    });
    const { gateway, totals } = start([provider]);
    expect(await play(gateway)).toEqual(['start', 'Open', ' since 2021.', 'done']);
    expect(asked).toEqual(['main', 'spare']);
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('never changes the key after a part was delivered, and does not count for the circuit', async () => {
    const { provider, asked } = streamed({
      main: { words: ['Open since', ' 2021.'], error: OUT_OF_CREDIT() },
      spare: { words: ['Closed.'] },
    });
    const { gateway, kinds, totals } = start([provider], { providerFailureThreshold: 1 });
    expect(await play(gateway)).toEqual(['start', 'Open since', ' 2021.', 'upstream_quota_exhausted']);
    expect(asked).toEqual(['main']);
    expect((await kinds())[1]).toEqual(['loss', 5_000_000n]);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
    expect(gateway.status().providers[0]).toMatchObject({ state: 'serving', keys: [{ state: 'out_of_credit' }, {}] });
    expect(await play(gateway)).toEqual(['start', 'Closed.', 'done']);
  });
});

describe('the limits of each key', () => {
  const perSecond = { requests: 1, periodMs: 1_000 };
  function limited(
    more: Partial<ProviderKey>,
    pick: ProviderKeys['pick'] = 'first',
    replies: Record<string, Reply> = {},
  ) {
    const list = ['main', 'spare'].map((name) => ({ name, ...more }));
    return keyed({ main: good, spare: good, ...replies }, { pick, list });
  }

  it('send calls on to the next key, make them wait when every key is busy, then refuse them', async () => {
    const vendor = limited({ rateLimit: perSecond });
    const { ask, clock } = start([{ ...vendor.provider, limits: { maxQueueMs: 1_500 } }]);
    const calls = Array.from({ length: 6 }, () => ask('exa/answer').catch((error: unknown) => error));
    await clock.advance(0);
    expect(vendor.asked).toEqual(['main', 'spare']);
    await clock.advance(1_000);
    expect(vendor.asked).toEqual(['main', 'spare', 'main', 'spare']);
    await clock.advance(500);
    expect((await Promise.all(calls)).slice(4)).toMatchObject(
      Array(2).fill({ reason: 'upstream_rate_limited', retryAfterMs: 500 }),
    );
  });

  it('hold for a request that changes the key: it waits for its turn', async () => {
    const vendor = limited({ rateLimit: perSecond }, 'first', { main: REJECTED });
    const { ask, clock } = start([{ ...vendor.provider, limits: { maxQueueMs: 1_500 } }]);
    const calls = [ask('exa/answer'), ask('exa/answer')];
    await clock.advance(999);
    expect(vendor.asked).toEqual(['main', 'spare']);
    await clock.advance(1);
    expect(await Promise.all(calls)).toHaveLength(2);
    expect(vendor.asked).toEqual(['main', 'spare', 'spare']);
  });

  it('of the provider are kept too: a request that changes the key needs no second slot', async () => {
    const vendor = keyed({ main: REJECTED, spare: good });
    const { ask, clock } = start([{ ...vendor.provider, limits: { maxConcurrent: 1 } }]);
    const calls = Promise.all([ask('exa/answer'), ask('exa/answer')]);
    await clock.advance(0);
    expect(await calls).toHaveLength(2);
    expect(vendor.asked).toEqual(['main', 'spare', 'spare']);
  });

  it('count the requests under way, of which least-used spreads the calls', async () => {
    const ends: (() => void)[] = [];
    const slow = () => new Promise<AnswerOutcome>((resolve) => ends.push(() => resolve(OUTCOME)));
    const vendor = limited({ maxConcurrent: 2 }, 'least-used', { main: slow, spare: slow });
    const { ask, clock } = start([vendor.provider]);
    const calls = Array.from({ length: 5 }, () => ask('exa/answer'));
    await clock.advance(0);
    expect(vendor.asked).toEqual(['main', 'spare', 'main', 'spare']);
    ends[1]?.();
    await clock.advance(0);
    expect(vendor.asked.slice(4)).toEqual(['spare']);
    for (const end of ends) end();
    await Promise.all(calls);
    for (let call = 0; call < 2; call += 1) {
      const next = ask('exa/answer');
      await clock.advance(0);
      ends.at(-1)?.();
      await next;
    }
    expect(vendor.asked.slice(5)).toEqual(['main', 'spare']);
  });
});

it.each<[string, () => Error | null, string[], string]>([
  ['it is free', () => null, ['answered', 'answered'], 'main main spare spare'],
  ['it serves no more', OUT_OF_CREDIT, ['upstream_quota_exhausted', 'upstream_auth_failed'], 'main main spare'],
])('makes a call wait for another key than the one that has refused it until %s', async (_, refusal, reasons, keys) => {
  const url = 'https://example.org/';
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const { provider, asked } = keyed({}, { list: [{ name: 'main' }, { name: 'spare', maxConcurrent: 1 }] });
  const extract: Provider['extract'] = {
    models: [{ ...provider.models[0]!, slug: 'exa/read' }],
    maxUrls: 1,
    async extract(_call, { keyName }) {
      asked.push(keyName);
      // Of a call with addresses, this tells nothing about the key, which goes on to serve.
      if (keyName === 'main') throw REJECTED();
      await ended;
      const error = refusal();
      if (error !== null) throw error;
      return { pages: [{ url, content: 'The bridge is open.' }], cost: {} };
    },
  };
  const { gateway, clock, totals } = start([{ ...provider, extract }], { maxAttempts: 1 });
  const calls = [1, 2].map(() => reasonOf(gateway.extract({ apiKey: KEY, model: 'exa/read', urls: [url] })));
  await clock.advance(200);
  end();
  expect(await Promise.all(calls)).toEqual(reasons);
  expect(asked.join(' ')).toBe(keys);
  const answered = reasons.filter((reason) => reason === 'answered').length;
  expect(await totals()).toMatchObject({ usage: BigInt(answered) * 5_000_000n, held: 0n });
});

it.each([
  [undefined, 5],
  [1, 1],
])('sends only the parts of a call again whose key was refused, with %s at once', async (maxConcurrent, most) => {
  const sent: string[] = [];
  let left = 3;
  const { provider } = keyed({ main: good, spare: good });
  const model = { ...provider.models[0]!, slug: 'exa/embed', maxInputs: 100, dimensions: 1, prices: [PER_TOKEN] };
  const embed: Provider['embed'] = {
    models: [model],
    maxInputs: 1,
    embed({ inputs }, { keyName }) {
      sent.push(`${keyName} ${inputs.join()}`);
      if (keyName === 'main' && (left -= 1) < 0) return Promise.reject(OUT_OF_CREDIT());
      return Promise.resolve({ embeddings: [{ index: 0, vector: [1] }], cost: { usage: { inputTokens: 1 } } });
    },
  };
  const { gateway, totals } = start([{ ...provider, embed, limits: { maxConcurrent } }]);
  const input = Array.from({ length: 9 }, (_, index) => `text${index}`);
  const { data } = await gateway.embed({ apiKey: KEY, model: 'exa/embed', input });
  expect(data).toHaveLength(9);
  const good9 = sent.filter((each) => each.startsWith('spare')).length + 3;
  expect(good9).toBe(9);
  expect(new Set(sent.map((each) => each.split(' ')[1])).size).toBe(9);
  // At most the parts that were under way found the key refused.
  expect(sent.length - 9).toBeLessThanOrEqual(most);
  expect(await totals()).toMatchObject({ usage: 9n * 1_000n, held: 0n });
});

it('sends halves of a request with the key that took its place', async () => {
  const sent: string[] = [];
  const { provider } = keyed({ main: good, spare: good });
  const embed: Provider['embed'] = {
    models: [{ ...provider.models[0]!, slug: 'exa/embed', dimensions: 1, prices: [PER_TOKEN] }],
    maxInputs: 4,
    embed({ inputs }, { keyName }) {
      sent.push(`${keyName} ${inputs.length}`);
      if (keyName === 'main') return Promise.reject(OUT_OF_CREDIT());
      if (inputs.length > 1) return Promise.reject(failure('query_rejected', { mayFitInParts: true }));
      return Promise.resolve({ embeddings: [{ index: 0, vector: [1] }], cost: { usage: { inputTokens: 1 } } });
    },
  };
  const { gateway, totals } = start([{ ...provider, embed, limits: { maxConcurrent: 1 } }]);
  const embedTwo = () => gateway.embed({ apiKey: KEY, model: 'exa/embed', input: ['a', 'b'] });
  await embedTwo();
  expect(sent).toEqual(['main 2', 'spare 2', 'spare 1', 'spare 1']);
  // The slot was given back once.
  await embedTwo();
  expect(sent.slice(4)).toEqual(['spare 2', 'spare 1', 'spare 1']);
  expect(await totals()).toMatchObject({ usage: 4_000n, held: 0n });
});

const PER_TOKEN = {
  kind: 'units',
  perMillionTokens: '1',
  source: 'test',
  asOf: '2026-11-21',
  confidence: 'high',
} as unknown as Provider['models'][number]['prices'][number];

it('leaves a key out only for the cooldown where a function gives it, which may give another', async () => {
  const list = [{ name: 'main', rotates: true }, { name: 'spare' }];
  const vendor = keyed({ main: REJECTED, spare: good }, { list });
  const { ask, clock, events, gateway } = start([vendor.provider]);
  await ask('exa/answer');
  vendor.replies['main'] = good;
  await clock.advance(30_000);
  await ask('exa/answer');
  expect(vendor.asked).toEqual(['main', 'spare', 'main']);
  await gateway.close();
  expect(keyEvents(events)).toEqual([
    ['failed', 'main', 'rejected'],
    ['recovered', 'main', 'rejected'],
  ]);
});
