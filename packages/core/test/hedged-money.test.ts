import { createFakeClock, type FakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnswerEvent, createGateway, isRequestError, memoryApiKeys, memoryLedger } from '../src/index.js';
import { type AnswerAdapter, type AnswerOutcome, type Provider, UpstreamError } from '../src/provider-kit/index.js';
import { KEY, reasonOf, scripted } from './scripted-gateway.js';

const PROVIDERS = ['exa', 'you', 'kagi'] as const;
const PRICE = 5_000_000n;

/** What one attempt at a provider does. Whatever it ends with, also when it is aborted, it reports what it has billed. */
interface Script {
  readonly provider: (typeof PROVIDERS)[number];
  readonly afterMs: number;
  readonly bills: bigint;
  readonly end: 'answers' | 'upstream_error' | 'upstream_invalid_response' | 'query_rejected';
  /** When its first part comes, of those that stream. */
  readonly firstPartMs: number;
}

/** Providers that play these scripts, each its own, and add up what they bill. */
function upstreams(clock: FakeClock, scripts: readonly Script[]) {
  const queues = new Map<string, Script[]>();
  for (const script of scripts) queues.set(script.provider, [...(queues.get(script.provider) ?? []), script]);
  const spend = { billed: 0n, underWay: 0 };
  /** The most that were under way at once, by provider. */
  const most: Record<string, number> = {};
  const playerOf = (id: string): NonNullable<AnswerAdapter['stream']> => {
    let own = 0;
    return (_call, { signal }, live) =>
      new Promise<AnswerOutcome>((resolve, reject) => {
        const last = { afterMs: 1, bills: 3n, end: 'answers', firstPartMs: 0 } as const;
        const { afterMs, bills, end, firstPartMs } = queues.get(id)?.shift() ?? last;
        let isOver = false;
        const finish = (settle: () => void) => {
          if (isOver) return;
          isOver = true;
          spend.billed += bills;
          spend.underWay -= 1;
          own -= 1;
          settle();
        };
        spend.underWay += 1;
        own += 1;
        most[id] = Math.max(most[id] ?? 0, own);
        clock.schedule(Math.min(firstPartMs, afterMs), () => isOver || live.text(`${id} says`));
        clock.schedule(afterMs, () =>
          finish(() => {
            if (end === 'answers') resolve({ text: `${id} says so.`, citations: [], cost: { reported: bills } });
            else reject(new UpstreamError(end, { phase: 'body', cost: bills }));
          }),
        );
        signal.addEventListener('abort', () =>
          finish(() => reject(new UpstreamError('upstream_timeout', { phase: 'body', cost: bills }))),
        );
      });
  };
  const providerOf = (id: string): Provider => {
    const { provider } = scripted(id, []);
    const play = playerOf(id);
    const ignored = { citations: () => undefined, text: () => undefined };
    return {
      ...provider,
      models: provider.models.map((model) => ({ ...model, features: ['citations', 'streaming'] as const })),
      answer: { answer: (call, context) => play(call, context, ignored), stream: play },
    };
  };
  return { providers: PROVIDERS.map(providerOf), spend, most };
}

const script: fc.Arbitrary<Script> = fc.record({
  provider: fc.constantFrom(...PROVIDERS),
  // Its deadline is 10 s. Most take long enough to be hedged.
  afterMs: fc.oneof(fc.integer({ min: 1, max: 14_000 }), fc.integer({ min: 4_000, max: 9_500 })),
  bills: fc.bigInt({ min: 1n, max: 3n * PRICE }),
  end: fc.constantFrom('answers', 'answers', 'upstream_error', 'upstream_invalid_response', 'query_rejected'),
  firstPartMs: fc.integer({ min: 0, max: 5_000 }),
});

/** One call, and when its caller loses patience. */
const call = fc.record({
  model: fc.constantFrom(...PROVIDERS),
  gapMs: fc.nat(6_000),
  streams: fc.boolean(),
  patienceMs: fc.option(fc.nat(20_000), { nil: undefined }),
});

const limits = fc.record({
  maxConcurrent: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  rateLimit: fc.option(
    fc.record({ requests: fc.integer({ min: 1, max: 3 }), periodMs: fc.nat(5_000).map((ms) => ms + 1) }),
    { nil: undefined },
  ),
  maxQueueMs: fc.nat(3_000),
});

describe('the money of hedged calls', () => {
  it('adds up: what providers billed is what callers were charged for and what was lost, and nothing stays held', async () => {
    const history = fc.record({
      scripts: fc.array(script, { maxLength: 40, size: 'max' }),
      calls: fc.array(call, { minLength: 1, maxLength: 12, size: 'max' }),
      limits: fc.array(limits, { minLength: 3, maxLength: 3 }),
      afterMs: fc.integer({ min: 1, max: 3_000 }),
      closesAtMs: fc.option(fc.nat(30_000), { nil: undefined }),
    });
    const seen = { hedged: 0, limited: 0, answered: 0 };
    await fc.assert(
      fc.asyncProperty(history, async ({ scripts, calls, afterMs, closesAtMs, ...given }) => {
        const clock = createFakeClock();
        const { providers, spend, most } = upstreams(clock, scripts);
        const ledger = memoryLedger({ credits: { acme: '1.00' }, clock });
        const hedge = { afterMs, maxExtraCost: '1' };
        const gateway = createGateway({
          providers: providers.map((provider, index) => ({ ...provider, limits: given.limits[index] })),
          ledger,
          apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: '0.50' }]),
          fallbacks: { 'exa/answer': ['you/answer', 'kagi/answer'], 'you/answer': ['kagi/answer'] },
          hedging: {
            maxShare: 1,
            'exa/answer': { ...hedge, with: 'you/answer' },
            'you/answer': { ...hedge, with: 'kagi/answer' },
          },
          drainTimeoutMs: 2_000,
          expireHoldsEveryMs: 0,
          random: () => 0.5,
          clock,
          logger: { warn: () => undefined, error: () => undefined },
          onEvent: (event) => {
            if (event.type === 'attempt_finished' && event.outcome === 'hedged') seen.hedged += 1;
            if (event.type === 'provider_limited') seen.limited += 1;
          },
        });
        const ended: Promise<unknown>[] = [];
        let nowMs = 0;
        if (closesAtMs !== undefined) clock.schedule(closesAtMs, () => ended.push(gateway.close()));
        for (const { model, gapMs, streams, patienceMs } of calls) {
          const caller = new AbortController();
          if (patienceMs !== undefined) clock.schedule(patienceMs, () => caller.abort());
          const asked = { apiKey: KEY, model: `${model}/answer`, query: 'When?', signal: caller.signal };
          const answered = streams ? readAll(gateway.answerStream(asked)) : gateway.answer(asked);
          ended.push(answered.then(() => (seen.answered += 1), ofRequest));
          await clock.advance(gapMs);
          nowMs += gapMs;
        }
        await clock.advance(120_000);
        await Promise.all(ended);
        // Every place was given back.
        for (const id of PROVIDERS) {
          const last = reasonOf(gateway.answer({ apiKey: KEY, model: `${id}/answer`, query: 'When?' }));
          await clock.advance(60_000);
          expect(await last).not.toBe('upstream_rate_limited');
        }
        const closed = gateway.close();
        await clock.advance(10_000);
        await closed;

        const { entries } = await ledger.entries({ organizationId: 'acme' });
        const sumOf = (kind: string) =>
          entries.reduce(
            (sum, entry) => (entry.kind === kind ? sum + (entry.amount < 0n ? -entry.amount : entry.amount) : sum),
            0n,
          );
        expect(spend).toEqual({ billed: sumOf('charge') + sumOf('loss'), underWay: 0 });
        PROVIDERS.forEach((id, index) =>
          expect(most[id] ?? 0).toBeLessThanOrEqual(given.limits[index]?.maxConcurrent ?? Infinity),
        );
        expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: sumOf('charge'), held: 0n });
        expect(await ledger.keyTotals('key')).toMatchObject({ usage: sumOf('charge'), held: 0n });
      }),
      { numRuns: 150 },
    );
    // The histories have met what this is about. Each is seen dozens of times, so that chance alone never leaves one out.
    expect(Math.min(seen.hedged, seen.limited, seen.answered)).toBeGreaterThan(0);
  });
});

/** Takes a stream to its end, all of one model. @throws the error it ends in. */
async function readAll(events: AsyncIterable<AnswerEvent>): Promise<void> {
  let text = '';
  for await (const event of events) {
    if (event.type === 'error') throw event.error;
    if (event.type === 'delta') text += event.text;
    if (event.type === 'done' && event.answer.answer !== text) throw new Error(`${text} was streamed before the whole`);
  }
}

/** Calls may end in any error of theirs, but in no other. */
function ofRequest(error: unknown): void {
  if (!isRequestError(error)) throw error;
}
