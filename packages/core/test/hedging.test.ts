import { createFakeClock, type FakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { createGateway, type GatewayOptions, memoryApiKeys, memoryLedger } from '../src/index.js';
import { memoryRequestLog } from '../src/ledger/index.js';
import { type AnswerAdapter, type AnswerOutcome, type Provider, UpstreamError } from '../src/provider-kit/index.js';
import { failure, KEY, reasonOf, scripted, start as startGateway } from './scripted-gateway.js';

/** The script of one attempt: sends parts, then answers or fails, each after a while, until it is aborted. */
interface Script {
  readonly afterMs: number;
  readonly cost?: bigint;
  readonly fails?: UpstreamError;
  readonly partsAtMs?: readonly number[];
}

/** A provider with these prices that plays one script per attempt, repeats the last, and counts its calls. */
function timed(id: string, clock: FakeClock, scripts: readonly Script[], price = '0.005') {
  const seen = { asked: 0, aborted: 0 };
  const play: NonNullable<AnswerAdapter['stream']> = (_call, context, live) =>
    new Promise<AnswerOutcome>((resolve, reject) => {
      const { afterMs, cost, fails, partsAtMs = [] } = scripts[Math.min(seen.asked, scripts.length - 1)] as Script;
      seen.asked += 1;
      for (const atMs of partsAtMs) clock.schedule(atMs, () => live.text(`${id} `));
      clock.schedule(afterMs, () => {
        const text = `${`${id} `.repeat(partsAtMs.length)}says so.`;
        if (fails === undefined) resolve({ text, citations: [], cost: { reported: cost } });
        else reject(fails);
      });
      context.signal.addEventListener('abort', () => {
        seen.aborted += 1;
        reject(new UpstreamError('upstream_timeout', { phase: 'body', cost: fails?.cost ?? undefined }));
      });
    });
  const { provider } = scripted(id, [], { request: price });
  const ignored = { citations: () => undefined, text: () => undefined };
  const made: Provider = {
    ...provider,
    models: provider.models.map((model) => ({ ...model, features: ['citations', 'streaming'] as const })),
    answer: { answer: (call, context) => play(call, context, ignored), stream: play },
  };
  return { provider: made, seen };
}

const HEDGING = { maxShare: 1, 'exa/answer': { afterMs: 4_000, with: 'you/answer', maxExtraCost: '0.01' } } as const;
const SLOW: Script = { afterMs: 9_000 };
const QUICK: Script = { afterMs: 1_000 };

/** A gateway with the second model as hedge of the first. */
function start(
  scripts: { exa: readonly Script[]; you: readonly Script[] },
  { youPrice, ...options }: Partial<GatewayOptions> & { limit?: string; credits?: string; youPrice?: string } = {},
) {
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const exa = timed('exa', clock, scripts.exa);
  const you = timed('you', clock, scripts.you, youPrice);
  const ledger = memoryLedger({ credits: { acme: options.credits ?? '10.00' }, clock });
  const gateway = startGateway([exa.provider, you.provider], { hedging: HEDGING, ...options, clock, ledger });
  const ask = async (waitMs: number, more: object = {}) => {
    const outcome = gateway.gateway.answer({ apiKey: KEY, model: 'exa/answer', query: 'When?', ...more }).then(
      ({ model }) => model,
      (error: { reason: string }) => error.reason,
    );
    await clock.advance(waitMs);
    return outcome;
  };
  const attempts = () =>
    gateway.events.flatMap((event) =>
      event.type === 'attempt_finished' ? [[event.model, event.outcome, event.durationMs]] : [],
    );
  const losses = async () =>
    (await ledger.entries({ organizationId: 'acme' })).entries.flatMap((entry) =>
      entry.kind === 'loss' ? [[entry.model, entry.amount, entry.reason]] : [],
    );
  return { ...gateway, clock, exa: exa.seen, you: you.seen, ledger, ask, attempts, losses };
}

describe('a hedged call', () => {
  it('asks no other model while the first model answers in time', async () => {
    const { ask, you, clock } = start({ exa: [{ afterMs: 3_999 }], you: [QUICK] });
    expect(await ask(3_999)).toBe('exa/answer');
    expect([you.asked, clock.pendingTimers]).toEqual([0, expect.any(Number)]);
  });

  it('is answered by a faster second model: the caller pays for it, the operator for the other', async () => {
    const log = memoryRequestLog();
    const { ask, exa, totals, losses, attempts, gateway } = start(
      { exa: [SLOW], you: [QUICK] },
      { requestLog: { log } },
    );
    expect(await ask(5_000)).toBe('you/answer');
    expect(exa).toEqual({ asked: 1, aborted: 1 });
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
    expect(await losses()).toEqual([['exa/answer', 5_000_000n, 'hedged']]);
    await gateway.close();
    expect(attempts()).toEqual([
      ['you/answer', 'answered', 1_000],
      ['exa/answer', 'hedged', 5_000],
    ]);
    const [logged] = (await log.find({}, { limit: 1 })).rows;
    expect(logged?.attempted).toEqual(['exa', 'you']);
    const kept = (await log.get(logged?.requestId ?? ''))?.attempts;
    expect(kept?.map(({ model, startMs }) => [model, startMs])).toEqual([
      ['you/answer', 4_000],
      ['exa/answer', 0],
    ]);
  });

  it.each([{}, { routing: { sort: 'price' } }] as const)('gives the second model a deadline: %o', async (more) => {
    const { ask } = start({ exa: [{ afterMs: 30_000 }], you: [{ afterMs: 8_000 }] });
    expect(await ask(12_000, more)).toBe('you/answer');
  });

  it('is answered by the first model if it is faster after all', async () => {
    const { ask, you, totals, losses } = start({ exa: [{ afterMs: 4_500 }], you: [QUICK] });
    expect(await ask(4_500)).toBe('exa/answer');
    expect(you).toEqual({ asked: 1, aborted: 1 });
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
    expect(await losses()).toEqual([['you/answer', 5_000_000n, 'hedged']]);
  });

  it('records the reported cost of the slower model as a loss', async () => {
    const reported = failure('upstream_error', { cost: 7n });
    const { ask, losses } = start({ exa: [{ afterMs: 9_000, fails: reported }], you: [QUICK] });
    expect(await ask(5_000)).toBe('you/answer');
    expect(await losses()).toEqual([['exa/answer', 7n, 'hedged']]);
  });

  it.each([
    ['no candidate', {}],
    ['a fallback, too', { fallbacks: { 'exa/answer': ['you/answer'] } }],
  ])('gives the second model its own deadline if it is %s', async (_what, options) => {
    const hedging = { ...HEDGING, 'exa/answer': { ...HEDGING['exa/answer'], afterMs: 9_000 } };
    const scripts = { exa: [{ afterMs: 30_000 }], you: [{ afterMs: 9_999 }] };
    const { ask, attempts, gateway } = start(scripts, { ...options, hedging });
    expect(await ask(18_999)).toBe('you/answer');
    await gateway.close();
    expect(attempts()).toEqual([
      ['exa/answer', 'upstream_timeout', 10_000],
      ['you/answer', 'answered', 9_999],
    ]);
  });

  it('waits for the second model if the first fails, and asks no other model', async () => {
    const { ask, exa, you, losses } = start({
      exa: [{ afterMs: 4_500, fails: failure('upstream_error') }],
      you: [QUICK],
    });
    expect(await ask(5_000)).toBe('you/answer');
    expect([exa.asked, you.asked]).toEqual([1, 1]);
    expect(await losses()).toEqual([]);
  });

  it('continues with other candidates if both fail', async () => {
    const fails = failure('upstream_error');
    const scripts = { exa: [{ afterMs: 4_500, fails }, QUICK], you: [{ afterMs: 1_000, fails }] };
    const { ask, exa, you } = start(scripts, { fallbacks: { 'exa/answer': ['you/answer'] } });
    expect(await ask(7_000)).toBe('exa/answer');
    expect([exa.asked, you.asked]).toEqual([2, 1]);
  });

  it('counts both attempts among maxAttempts', async () => {
    const { ask, you } = start({ exa: [SLOW], you: [QUICK] }, { maxAttempts: 1 });
    expect(await ask(9_000)).toBe('exa/answer');
    expect(you.asked).toBe(0);
  });

  it.each<[string, Parameters<typeof start>[1], object]>([
    ['its quote is above maxExtraCost', { youPrice: '0.011' }, {}],
    ['the budget has no room for it', { youPrice: '0.009', credits: '0.008' }, {}],
    ['the caller has named other models', {}, { routing: { fallbacks: [] } }],
    ['the caller’s max_cost has no room for it', { youPrice: '0.009' }, { routing: { maxCost: '0.008' } }],
    [
      'the key may not call it',
      { apiKeys: memoryApiKeys([{ apiKey: KEY, label: 'k', organizationId: 'acme', allowedModels: ['exa/answer'] }]) },
      {},
    ],
  ])('asks no second model when %s', async (_name, options, more) => {
    const { ask, you, totals } = start({ exa: [SLOW], you: [QUICK] }, options);
    expect(await ask(9_000, more)).toBe('exa/answer');
    expect(you.asked).toBe(0);
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('is covered by the hold, even if the second model is more expensive', async () => {
    const { ask, totals } = start({ exa: [SLOW], you: [QUICK] }, { youPrice: '0.009', credits: '0.009' });
    expect(await ask(5_000)).toBe('you/answer');
    expect(await totals()).toMatchObject({ usage: 9_000_000n, held: 0n });
  });

  it.each([
    ['may be asked', '0.02', 20_000_000n],
    ['is left out, since it needs more than max_cost', '0.03', 1_000_000n],
  ])('holds for the second model of a candidate that %s: %s', async (_what, maxCost, held) => {
    const clock = createFakeClock(Date.UTC(2026, 10, 21));
    const providers = [
      timed('exa', clock, [SLOW], maxCost === '0.02' ? '0.004' : '0.04'),
      timed('you', clock, [SLOW], '0.02'),
      timed('kagi', clock, [SLOW], '0.001'),
    ].map(({ provider }) => provider);
    const { gateway, totals } = startGateway(providers, {
      hedging: { ...HEDGING, 'exa/answer': { ...HEDGING['exa/answer'], maxExtraCost: '0.02' } },
      fallbacks: { 'exa/answer': ['kagi/answer'] },
      clock,
    });
    const asked = gateway.answer({ apiKey: KEY, model: 'exa/answer', query: 'When?', routing: { maxCost } });
    await clock.advance(1_000);
    expect(await totals()).toMatchObject({ held });
    await clock.advance(60_000);
    await asked;
  });

  it('asks no second model over its upstream limit or paused', async () => {
    const clock = createFakeClock();
    const [exa, you] = [
      timed('exa', clock, [SLOW]),
      timed('you', clock, [{ afterMs: 0, fails: failure('upstream_auth_failed') }]),
    ];
    const limited = { ...you.provider, limits: { rateLimit: { requests: 1, periodMs: 60_000 } } };
    for (const provider of [limited, you.provider]) {
      const { gateway, ask } = startGateway([exa.provider, provider], {
        hedging: HEDGING,
        clock,
        providerFailureThreshold: 1,
      });
      void reasonOf(ask('you/answer'));
      const slow = ask('exa/answer');
      await clock.advance(9_000);
      expect(await slow).toMatchObject({ model: 'exa/answer' });
      await gateway.close();
    }
    expect(you.seen.asked).toBe(2);
  });

  it('stays within its share of calls', async () => {
    const { ask, you } = start({ exa: [SLOW], you: [QUICK] }, { hedging: { ...HEDGING, maxShare: 0.25 }, limit: '9' });
    for (let call = 0; call < 12; call += 1) await ask(9_000);
    expect(you.asked).toBe(3);
  });

  it('asks no second model after a disconnect, nor after the gateway’s drain time', async () => {
    const gone = new AbortController();
    const left = start({ exa: [SLOW], you: [QUICK] });
    const asked = left.ask(1_000, { signal: gone.signal });
    await left.clock.advance(1_000);
    gone.abort();
    await left.clock.advance(9_000);
    expect([await asked, left.you.asked]).toEqual(['client_closed_request', 0]);

    const closing = start({ exa: [SLOW], you: [{ afterMs: 9_000 }] }, { drainTimeoutMs: 1_000 });
    const pending = closing.ask(5_000);
    await closing.clock.advance(5_000);
    const closed = closing.gateway.close();
    await closing.clock.advance(1_000);
    expect(await pending).toBe('shutting_down');
    await closed;
    expect([closing.exa.aborted, closing.you.aborted]).toEqual([1, 1]);
    expect(await closing.totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('by p95 needs known latencies of the model', async () => {
    const hedging = { maxShare: 1, 'exa/answer': { ...HEDGING['exa/answer'], afterMs: 'p95' as const } };
    const scripts = [...Array.from({ length: 20 }, (_, index) => ({ afterMs: 100 + index })), SLOW];
    const { ask, you } = start({ exa: [...scripts], you: [QUICK] }, { hedging, limit: '9' });
    for (let call = 0; call < 20; call += 1) expect(await ask(200)).toBe('exa/answer');
    expect(you.asked).toBe(0);
    // Nineteen of the twenty took up to 118 ms.
    expect(await ask(1_118)).toBe('you/answer');
  });
});

describe('a hedged stream', () => {
  async function streamed(scripts: Parameters<typeof start>[0], waitMs: number) {
    const started = start(scripts);
    const texts: string[] = [];
    let error: string | null = null;
    const reading = (async () => {
      for await (const event of started.gateway.answerStream({ apiKey: KEY, model: 'exa/answer', query: 'When?' }))
        if (event.type === 'delta') texts.push(event.text);
        else if (event.type === 'error') error = event.error.reason;
    })();
    await started.clock.advance(waitMs);
    await reading;
    return { ...started, text: texts.join(''), error };
  }

  it('is won by the first part: nothing of the other stream is delivered', async () => {
    const { text, exa, losses, totals } = await streamed(
      { exa: [{ afterMs: 9_000, partsAtMs: [5_500, 6_000] }], you: [{ afterMs: 3_000, partsAtMs: [1_000, 2_000] }] },
      9_000,
    );
    expect(text).toBe('you you says so.');
    expect(exa.aborted).toBe(1);
    expect(await losses()).toEqual([['exa/answer', 5_000_000n, 'hedged']]);
    expect(await totals()).toMatchObject({ usage: 5_000_000n, held: 0n });
  });

  it('is not hedged after the first part of the first model', async () => {
    const { text, you } = await streamed({ exa: [{ afterMs: 9_000, partsAtMs: [3_999] }], you: [QUICK] }, 9_000);
    expect([text, you.asked]).toEqual(['exa says so.', 0]);
  });

  it('that breaks after its first part ends in an error, with both attempts as losses', async () => {
    const { error, losses } = await streamed(
      { exa: [SLOW], you: [{ afterMs: 2_000, partsAtMs: [1_000], fails: failure('upstream_error') }] },
      9_000,
    );
    expect(error).toBe('upstream_error');
    expect(await losses()).toEqual([
      ['exa/answer', 5_000_000n, 'hedged'],
      ['you/answer', 5_000_000n, 'upstream_error'],
    ]);
  });
});

describe('the option hedging', () => {
  it.each<[string, object]>([
    ['hedging["exa/anwser"]: found "exa/anwser"', { 'exa/anwser': HEDGING['exa/answer'] }],
    ['hedging["exa/answer"].with', { 'exa/answer': { ...HEDGING['exa/answer'], with: 'you/x' } }],
    ['expected another model', { 'exa/answer': { ...HEDGING['exa/answer'], with: 'exa/answer' } }],
    ['hedging.maxShare: found 2, expected a share from 0.001 to 1', { maxShare: 2 }],
    ['or "p95"', { 'exa/answer': { ...HEDGING['exa/answer'], afterMs: 'p99' } }],
    ['a decimal string', { 'exa/answer': { ...HEDGING['exa/answer'], maxExtraCost: 1 } }],
  ])('is refused: %s', (message, hedging) => {
    const providers = [scripted('exa', []).provider, scripted('you', []).provider];
    const options = { providers, ledger: memoryLedger(), apiKeys: memoryApiKeys() };
    expect(() => createGateway({ ...options, hedging: hedging as never })).toThrow(message);
  });
});
