import { createFakeClock, type FakeClock, fakeProvider } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { assembleGateway } from '../src/gateway.js';
import { type GatewayOptions, memoryApiKeys, memoryLedger } from '../src/index.js';
import { type Provider, UpstreamError } from '../src/provider-kit/index.js';

const KEY = 'a-secret-of-twenty-characters';
const failure = (retryAfterMs: number | null = null) =>
  new UpstreamError('upstream_error', { phase: 'headers', status: 500, retryAfterMs });

/** An error that pauses a provider and is not retried. */
const REFUSED = new UpstreamError('upstream_auth_failed', { phase: 'headers', status: 401 });

/** Fails or answers after a while: each attempt plays the next step, and the last step repeats. */
interface Step {
  readonly afterMs?: number;
  readonly fails?: UpstreamError;
}

function provider(id: string, clock: FakeClock, all: readonly Step[]) {
  const attemptsAtMs: number[] = [];
  const startMs = clock.now();
  const steps = all.map(({ afterMs = 0, fails }) => () => {
    attemptsAtMs.push(clock.now() - startMs);
    return fails === undefined ? { text: [afterMs, 'Open since 2021.'] } : { text: [afterMs], failure: fails };
  });
  return { provider: fakeProvider({ id, clock, replies: steps }), attemptsAtMs };
}

function start(clock: FakeClock, providers: readonly Provider[], options: Partial<GatewayOptions>) {
  const gateway = assembleGateway(
    {
      providers,
      ledger: memoryLedger({ credits: { acme: '10' }, clock }),
      apiKeys: memoryApiKeys([{ apiKey: KEY, label: 'demo', organizationId: 'acme' }]),
      expireHoldsEveryMs: 0,
      clock,
      ...options,
    },
    { random: () => 0.5 },
  );
  return async (model: string, waitMs: number) => {
    const outcome = gateway.answer({ apiKey: KEY, model, query: 'When?' }).then(
      ({ provider: served }) => served,
      ({ reason }: { reason: string }) => reason,
    );
    await clock.advance(waitMs);
    return outcome;
  };
}

describe('the attempts of one call', () => {
  it('give each candidate its own pauses, whatever the retries of earlier candidates', async () => {
    const clock = createFakeClock();
    const first = provider('first', clock, [{ fails: failure() }]);
    const second = provider('second', clock, [{ fails: REFUSED }, { fails: failure() }, {}]);
    const ask = start(clock, [first.provider, second.provider], {
      fallbacks: { 'first/answer': ['second/answer'] },
      maxAttempts: 4,
      providerCooldownMs: 100,
      providerFailureThreshold: 1,
    });
    // Pauses the second provider, so that the first is the only candidate and is retried.
    expect(await ask('second/answer', 0)).toBe('upstream_auth_failed');
    expect(await ask('first/answer', 1_000)).toBe('second');
    expect(first.attemptsAtMs).toEqual([0, 125]);
    expect(second.attemptsAtMs).toEqual([0, 125, 250]);
  });

  it('end when the pause before the next one would outlast the deadline', async () => {
    const clock = createFakeClock();
    const slow = provider('slow', clock, [{ afterMs: 6_000, fails: failure(4_000) }]);
    const ask = start(clock, [slow.provider], {});
    expect(await ask('slow/answer', 6_000)).toBe('upstream_error');
    expect(slow.attemptsAtMs).toEqual([0]);
  });

  it('ask no further candidate after the deadline of the call', async () => {
    const clock = createFakeClock();
    const slow = provider('slow', clock, [{ afterMs: 9_900, fails: failure() }, { afterMs: 60_000 }]);
    const other = provider('other', clock, [{ fails: REFUSED }, { fails: REFUSED }, {}]);
    const ask = start(clock, [slow.provider, other.provider], {
      fallbacks: { 'slow/answer': ['other/answer'] },
      maxAttempts: 4,
      providerCooldownMs: 15_000,
      providerFailureThreshold: 2,
    });
    expect(await ask('other/answer', 0)).toBe('upstream_auth_failed');
    expect(await ask('other/answer', 0)).toBe('upstream_auth_failed');
    expect(await ask('slow/answer', 20_000)).toBe('upstream_timeout');
    expect(slow.attemptsAtMs).toEqual([0, 10_025]);
    expect(other.attemptsAtMs).toEqual([0, 0]);
  });
});
