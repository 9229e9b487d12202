import type { RunnableModel } from '../catalog/catalog.js';
import { RequestError } from '../errors/request-error.js';
import { shuttingDown } from '../errors/shutting-down.js';
import type { UpstreamError } from '../errors/upstream-error.js';
import type { Loss } from '../ledger/ledger.js';
import type { AnswerOutcome } from '../provider-kit/provider.js';
import type { ProviderHealth } from '../routing/provider-health.js';
import { type RetryPolicy, retryDelayMs } from '../routing/retry-policy.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { Clock } from '../time/clock.js';
import type { Deadlines } from '../time/deadline.js';
import type { AnswerRequest, RequestTrace } from './answer.js';
import type { Attempt } from './attempt.js';
import type { HeldFunds } from './held-funds.js';
import type { LiveStream } from './live-stream.js';

export interface AttemptCandidatesDeps {
  readonly attempt: Attempt;
  readonly health: ProviderHealth;
  readonly deadlines: Pick<Deadlines, 'sleep' | 'areOver'>;
  readonly retry: RetryPolicy;
  /** Most attempts for one call, retries and fallbacks together. */
  readonly maxAttempts: number;
  readonly clock: Clock;
}

export interface AttemptCandidatesInput {
  /** The money that was set aside, with the candidates it covers. */
  readonly hold: HeldFunds;
  readonly request: AnswerRequest;
  readonly trace: RequestTrace;
  /** Where the answer is wanted while it comes. */
  readonly live: LiveStream | null;
}

/** How the attempts ended: with an answer or with the error for the caller; either way with what failed attempts may have cost. */
export type AttemptsResult = { readonly losses: readonly Loss[] } & (
  | { readonly status: 'answered'; readonly outcome: AnswerOutcome; readonly served: RunnableModel }
  | { readonly status: 'failed'; readonly error: RequestError }
);

/** Where a call stands between two attempts. */
interface Progress {
  readonly endsAtMs: number;
  readonly losses: Loss[];
  /** What the caller sees of the last failed attempt; `null` before any. */
  error: RequestError | null;
  index: number;
  retries: number;
}

/**
 * Tries the candidates in order until one answers. After any failure the next candidate is tried at once; the last one left is
 * retried after a pause where that makes sense. Nothing is tried after a part of an answer has been delivered. Ends when the candidates, the attempts, the time or the caller's patience are used up.
 */
export async function attemptCandidates(
  deps: AttemptCandidatesDeps,
  input: AttemptCandidatesInput,
): Promise<AttemptsResult> {
  const { hold, request, trace, live } = input;
  const plan = hold.route;
  const route = { plan, request };
  const { organizationId } = request.apiKey;
  const progress: Progress = {
    endsAtMs: deps.clock.monotonic() + plan.longestMs,
    losses: [],
    error: null,
    index: nextUsable(deps.health, route, 0),
    retries: 0,
  };
  for (let next = true; next && !deps.deadlines.areOver(); ) {
    const candidate = plan.candidates[progress.index];
    const entry = candidate === undefined ? null : deps.health.enter(candidate.provider, organizationId);
    if (candidate === undefined || entry === null) break;
    const timeoutMs = Math.min(candidate.timeoutMs, progress.endsAtMs - deps.clock.monotonic());
    const result = await deps.attempt({ candidate, entry, timeoutMs, request, trace, live });
    if (result.status === 'answered')
      return { status: 'answered', outcome: result.outcome, served: candidate, losses: progress.losses };
    if (result.loss !== null) progress.losses.push(result.loss);
    progress.error = callerError(result.error, candidate, trace.attempts);
    // What was delivered is the beginning of this provider's answer: no other one fits it.
    next = live?.hasStarted !== true && (await moveOn(deps, input, { progress, failure: result.error }));
  }
  // Made only now: an error captures its stack, which would cost every good answer more than anything else here.
  return { status: 'failed', error: finalError(deps, route, progress), losses: progress.losses };
}

/** The candidates of one call, and who is asking. */
interface Route {
  readonly plan: RoutePlan;
  readonly request: AnswerRequest;
}

/** Refuses a route of which no candidate may be tried. @throws RequestError `upstream_unavailable`. */
export function requireAvailable(health: ProviderHealth, route: Route): void {
  if (nextUsable(health, route, 0) === route.plan.candidates.length) throw unavailable(health, route);
}

function finalError({ deadlines, health }: AttemptCandidatesDeps, route: Route, { error }: Progress): RequestError {
  if (route.request.isDisconnected()) return new RequestError('client_closed_request');
  if (deadlines.areOver()) return shuttingDown();
  return error ?? unavailable(health, route);
}

/** Chooses what to try after a failure and waits for it where needed. @returns false when there is nothing left to try. */
async function moveOn(
  { health, deadlines, retry, clock, maxAttempts }: AttemptCandidatesDeps,
  { hold: { route: plan }, request, trace }: AttemptCandidatesInput,
  { progress, failure }: { progress: Progress; failure: UpstreamError },
): Promise<boolean> {
  if (trace.attempts >= maxAttempts || request.isDisconnected()) return false;
  const next = nextUsable(health, { plan, request }, progress.index + 1);
  if (next < plan.candidates.length) {
    progress.index = next;
    progress.retries = 0;
    return clock.monotonic() < progress.endsAtMs;
  }
  const delayMs = retryDelayMs(failure, progress.retries, retry);
  if (delayMs === null || clock.monotonic() + delayMs >= progress.endsAtMs) return false;
  progress.retries += 1;
  await deadlines.sleep(delayMs);
  return !request.isDisconnected();
}

/** Index of the first candidate from `start` whose provider is not paused; the number of candidates when there is none. */
function nextUsable(health: ProviderHealth, { plan: { candidates }, request }: Route, start: number): number {
  const { organizationId } = request.apiKey;
  let index = start;
  for (let candidate = candidates[index]; candidate !== undefined; candidate = candidates[index]) {
    if (health.pausedForMs(candidate.provider, organizationId) === 0) break;
    index += 1;
  }
  return index;
}

function unavailable(health: ProviderHealth, { plan, request }: Route): RequestError {
  const { organizationId } = request.apiKey;
  const retryAfterMs = Math.min(...plan.candidates.map(({ provider }) => health.pausedForMs(provider, organizationId)));
  return new RequestError('upstream_unavailable', { retryAfterMs });
}

/** What the caller sees of a failed attempt: our words, never the provider's. */
function callerError(error: UpstreamError, { provider, model }: RunnableModel, attempts: number): RequestError {
  const details = { provider, model: model.slug, attempts, upstreamStatus: error.status, phase: error.phase };
  const retryAfterMs =
    error.retryAfterMs ?? (error.reason === 'upstream_rate_limited' ? DEFAULT_RETRY_AFTER_MS : undefined);
  return new RequestError(error.reason, {
    details,
    cause: error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

const DEFAULT_RETRY_AFTER_MS = 5_000;
