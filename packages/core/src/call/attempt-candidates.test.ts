import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../base/errors/upstream-error.js';
import { createDeadlines } from '../base/time/deadline.js';
import type { CallableModel } from '../catalog/catalog.js';
import { QuestionCall } from '../kinds/answer/question-call.js';
import type { ProviderAnswer } from '../kinds/kind-call.js';
import { createProviderLimits } from '../limits/provider-limits.js';
import { openContext } from '../request/handle-request-lifecycle.js';
import { createCircuitBreaker } from '../routing/circuit-breaker.js';
import { createHedgeBudget } from '../routing/hedge-budget.js';
import type { RoutePlan } from '../routing/route-plan.js';
import { type AttemptCandidatesDeps, attemptCandidates } from './attempt-candidates.js';
import type { HeldFunds } from './held-funds.js';
import { ProviderPermits } from './provider-permits.js';

const COOLDOWN_MS = 30_000;
const OUTCOME: ProviderAnswer = { value: { text: 'Open.', citations: [] }, cost: {} };
const failure = () => new UpstreamError('upstream_error', { phase: 'headers' });

const UNLIMITED = {
  providers: [{ id: 'exa' }, { id: 'you' }],
  connections: 100,
  limits: new Map(),
  maxConnectionWaitMs: 0,
  slots: { total: 1, perOrganization: 1 },
};

/** A call whose candidates are of these providers. Each attempt ends by the next reply, the last one forever. */
function start(providers: readonly string[], replies: readonly (UpstreamError | ProviderAnswer)[]) {
  const clock = createFakeClock();
  const breaker = createCircuitBreaker({ failureThreshold: 9, cooldownMs: COOLDOWN_MS, clock, emit: () => undefined });
  const pause = (provider: string) => {
    for (let entry = breaker.enter(provider, 'globex'); entry !== null; entry = breaker.enter(provider, 'globex')) {
      breaker.failed(entry, { reason: 'upstream_error', retryAfterMs: null });
    }
  };
  const caller = { gone: false };
  const context = openContext('req');
  const attempted: [provider: string, timeoutMs: number][] = [];
  const pauses: number[] = [];
  const candidates = providers.map((provider) => ({ provider, model: { slug: `${provider}/a` }, timeoutMs: 10_000 }));
  const plan = { candidates, longestMs: 10_000 * providers.length } as unknown as RoutePlan;
  const call = new QuestionCall({ query: 'When?', includeCitations: true }, null);
  const request = { apiKey: { organizationId: 'acme' }, call, isDisconnected: () => caller.gone } as never;
  const hooks = { onAttempt: () => undefined as void, onSleep: () => undefined as void, over: false, attemptMs: 0 };
  const deadlines: AttemptCandidatesDeps['deadlines'] = {
    sleep: (delayMs) => {
      pauses.push(delayMs);
      hooks.onSleep();
      return clock.advance(delayMs);
    },
    areOver: () => hooks.over,
    start: createDeadlines(clock).start,
  };
  const limits = createProviderLimits({ ...UNLIMITED, clock, cooldownMs: 30_000, emit: () => undefined });
  const permits = new ProviderPermits({ breaker, limits, deadlines, clock, events: { emit: () => undefined } });
  const run = () =>
    attemptCandidates(
      {
        attempt: async ({ permit, endsAtMs }) => {
          const { candidate } = permit;
          attempted.push([candidate.provider, Math.min(candidate.timeoutMs, endsAtMs - clock.monotonic())]);
          context.attempts += 1;
          const reply = replies[Math.min(attempted.length, replies.length) - 1] as UpstreamError | ProviderAnswer;
          hooks.onAttempt();
          await clock.advance(hooks.attemptMs);
          if (!(reply instanceof UpstreamError)) return { status: 'answered', outcome: reply, losses: [] };
          permit.failed(reply);
          return { status: 'failed', error: reply, losses: [] };
        },
        permits,
        deadlines,
        retry: { baseDelayMs: 100, maxDelayMs: 1_000, random: () => 0.5 },
        maxAttempts: 4,
        latencies: { percentile95Ms: () => undefined },
        hedgeBudget: createHedgeBudget(1),
        clock,
      },
      { hold: { route: plan } as unknown as HeldFunds, request, context, live: null },
    );
  const route = { candidates: plan.candidates, request };
  return { run, pause, clock, permits, caller, hooks, attempted, pauses, context, route, candidates };
}

describe('attempts at candidates', () => {
  it('end with the first answer and the candidate that gave it', async () => {
    const { run, candidates, attempted } = start(['exa', 'you'], [failure(), OUTCOME]);
    const served = candidates[1] as unknown as CallableModel;
    expect(await run()).toEqual({ status: 'answered', paid: [{ outcome: OUTCOME, served }], losses: [] });
    expect(attempted).toEqual([
      ['exa', 10_000],
      ['you', 10_000],
    ]);
  });

  it('at the last candidate come after growing pauses', async () => {
    const { run, pauses, hooks, context } = start(['exa'], [failure()]);
    hooks.attemptMs = 1_000;
    expect(await run()).toMatchObject({ status: 'failed', error: { reason: 'upstream_error' } });
    expect(pauses).toEqual([50, 100, 200]);
    // Of four attempts, without the pauses.
    expect(context.upstreamMs).toBe(4_000);
  });

  it.each([
    [7_450, [10_000, 2_500]],
    [7_451, [10_000]],
  ])(
    'end after %d ms of 10 s when the pause of 50 ms leaves less than a quarter of the timeout',
    async (attemptMs, timeoutsMs) => {
      const { run, hooks, attempted } = start(['exa'], [failure()]);
      hooks.attemptMs = attemptMs;
      expect(await run()).toMatchObject({ status: 'failed', error: { reason: 'upstream_error' } });
      expect(attempted.map(([, timeoutMs]) => timeoutMs)).toEqual(timeoutsMs);
    },
  );

  it('do not begin when every provider is paused', async () => {
    const { run, pause, clock, attempted, route, permits } = start(['exa', 'you'], [OUTCOME]);
    expect(() => permits.requireUsable(route)).not.toThrow();
    pause('exa');
    expect(() => permits.requireUsable(route)).not.toThrow();
    await clock.advance(10_000);
    pause('you');
    const unavailable = { reason: 'upstream_unavailable', retryAfterMs: 20_000 };
    expect(await run()).toMatchObject({ status: 'failed', error: unavailable, losses: [] });
    expect(attempted).toEqual([]);
    expect(() => permits.requireUsable(route)).toThrow(expect.objectContaining(unavailable));
  });

  it('end when the provider is paused while they wait for it', async () => {
    const { run, pause, hooks, attempted } = start(['exa'], [failure()]);
    hooks.onSleep = () => pause('exa');
    expect(await run()).toMatchObject({ status: 'failed', error: { reason: 'upstream_error' } });
    expect(attempted).toHaveLength(1);
  });

  it('end when the caller has gone away, or the gateway cannot wait', async () => {
    const left = start(['exa', 'you'], [failure()]);
    left.hooks.onAttempt = () => void (left.caller.gone = true);
    expect(await left.run()).toMatchObject({ error: { reason: 'client_closed_request' } });
    expect(left.attempted).toHaveLength(1);

    const waiting = start(['exa'], [failure()]);
    waiting.hooks.onSleep = () => void (waiting.caller.gone = true);
    expect(await waiting.run()).toMatchObject({ error: { reason: 'client_closed_request' } });
    expect(waiting.attempted).toHaveLength(1);

    const closing = start(['exa', 'you'], [failure()]);
    closing.hooks.onAttempt = () => void (closing.hooks.over = true);
    expect(await closing.run()).toMatchObject({ error: { reason: 'shutting_down', retryAfterMs: 5_000 } });
    expect(closing.attempted).toHaveLength(1);
  });

  it.each([
    ['upstream_rate_limited', null, 5_000],
    ['upstream_rate_limited', 7_000, 7_000],
    ['upstream_error', null, null],
    ['upstream_error', 2_000, 2_000],
  ] as const)('tell the caller to wait after %s with Retry-After %s: %s', async (reason, asked, retryAfterMs) => {
    const error = new UpstreamError(reason, { phase: 'body', status: 429, retryAfterMs: asked });
    const outcome = await start(['exa'], [error]).run();
    expect(outcome).toMatchObject({ error: { reason, retryAfterMs, cause: error } });
    expect(outcome).toMatchObject({
      error: { details: { provider: 'exa', model: 'exa/a', upstreamStatus: 429, phase: 'body' } },
    });
  });
});
