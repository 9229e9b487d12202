import { formatUsd, type NanoUsd } from '@searchgate/core';
import { type AnswerOutcome, type Provider, UpstreamError } from '@searchgate/core/provider-kit';
import type { FakeClock } from '@searchgate/testing';
import type { ProviderDay, ProviderProfile } from './provider-day.js';

export interface DayProvider {
  readonly provider: Provider;
  /** The sum of its bills so far. */
  billed(): NanoUsd;
}

/** The deadline of every model. */
export const DEADLINE_MS = 20_000;
const SOURCE = { source: 'https://example.org/pricing', asOf: '2026-11-22', confidence: 'high' } as const;

/** A provider that lives through its day. A request that is broken off is billed at the usual price, which is what the gateway reckons with. */
export function dayProvider(profile: ProviderProfile, replyAt: ProviderDay, clock: FakeClock): DayProvider {
  const startMs = clock.now();
  const usual = formatUsd(profile.price);
  let billed = 0n;

  function answer(signal: AbortSignal): Promise<AnswerOutcome> {
    const { afterMs, failure, cost: bill } = replyAt(clock.now() - startMs);
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (cost: NanoUsd, settle: () => void) => {
        if (isOver) return;
        isOver = true;
        billed += cost;
        settle();
      };
      const reply = () =>
        end(bill, () => {
          if (failure === null) resolve({ text: 'It opened in 2021.', citations: [], cost: { reported: bill } });
          else reject(new UpstreamError(failure.reason, { ...failure.options, cost: bill }));
        });
      if (Number.isFinite(afterMs)) clock.schedule(afterMs, reply);
      const breakOff = () => reject(new UpstreamError('upstream_timeout', { phase: 'body' }));
      signal.addEventListener('abort', () => end(profile.price, breakOff));
    });
  }

  const provider: Provider = {
    id: profile.id,
    name: profile.id,
    models: [
      {
        slug: `${profile.id}/answer`,
        name: profile.id,
        description: 'Lives through a simulated day.',
        prices: [{ ...SOURCE, kind: 'dynamic', typical: usual, ceiling: formatUsd(profile.price * 2n) }],
        features: [],
        contextLength: null,
        timeoutMs: DEADLINE_MS,
      },
    ],
    answer: { answer: (_call, { signal }) => answer(signal) },
  };
  return { provider, billed: () => billed };
}
