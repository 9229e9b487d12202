import type { FakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { type AnswerAdapter, type AnswerOutcome, type Provider, UpstreamError } from '../src/provider-kit/index.js';
import { scripted } from './scripted-gateway.js';

export const PROVIDERS = ['exa', 'you', 'kagi'] as const;
const PRICE = 5_000_000n;

/** The script of one attempt at a provider. However it ends, even by an abort, it reports its bill. */
export interface Script {
  readonly provider: (typeof PROVIDERS)[number];
  readonly afterMs: number;
  readonly bills: bigint;
  readonly end: 'answers' | 'upstream_error' | 'upstream_invalid_response' | 'query_rejected';
  /** Delay of the first part, for a stream. */
  readonly firstPartMs: number;
}

/** Providers that play these scripts and add up their bills. @param callOf names the call of an attempt. */
export function playedProviders(clock: FakeClock, scripts: readonly Script[], callOf = (): unknown => undefined) {
  const queues = new Map<string, Script[]>();
  for (const script of scripts) queues.set(script.provider, [...(queues.get(script.provider) ?? []), script]);
  const spend = { billed: 0n, underWay: 0, byCall: new Map<unknown, bigint>() };
  /** The most parallel attempts, by provider. */
  const most: Record<string, number> = {};
  const playerOf = (id: string): NonNullable<AnswerAdapter['stream']> => {
    let own = 0;
    return (_call, { signal }, live) =>
      new Promise<AnswerOutcome>((resolve, reject) => {
        const last = { afterMs: 1, bills: 3n, end: 'answers', firstPartMs: 0 } as const;
        const { afterMs, bills, end, firstPartMs } = queues.get(id)?.shift() ?? last;
        const call = callOf();
        let isOver = false;
        const finish = (settle: () => void) => {
          if (isOver) return;
          isOver = true;
          spend.billed += bills;
          spend.byCall.set(call, (spend.byCall.get(call) ?? 0n) + bills);
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

export const script: fc.Arbitrary<Script> = fc.record({
  provider: fc.constantFrom(...PROVIDERS),
  // The deadline is 10 s. Most take long enough to be hedged.
  afterMs: fc.oneof(fc.integer({ min: 1, max: 14_000 }), fc.integer({ min: 4_000, max: 9_500 })),
  bills: fc.bigInt({ min: 1n, max: 3n * PRICE }),
  end: fc.constantFrom('answers', 'answers', 'upstream_error', 'upstream_invalid_response', 'query_rejected'),
  firstPartMs: fc.integer({ min: 0, max: 5_000 }),
});
