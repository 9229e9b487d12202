import type { UpstreamDetails } from '../base/errors/error-details.js';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import { shuttingDown } from '../base/errors/shutting-down.js';
import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { Deadlines } from '../base/time/deadline.js';
import { type CallableModel, neededMs } from '../catalog/catalog.js';
import type { CallStream } from '../kinds/kind-call.js';
import type { Loss } from '../ledger/ledger.js';
import { isOfKey } from '../limits/key-ring.js';
import { type RetryPolicy, retryDelayMs } from '../routing/retry-policy.js';
import type { RoutePlan } from '../routing/route-plan.js';
import type { AnswerRequest, RequestContext } from './answer.js';
import type { AskPart, OuterAttempt, PaidReply } from './asked-parts.js';
import type { AttemptResult } from './attempt.js';
import { type Attempted, attemptWithHedge, type HedgeDeps } from './hedge.js';
import type { HeldFunds } from './held-funds.js';
import type { ProviderPermit } from './provider-permits.js';

export interface AttemptCandidatesDeps extends HedgeDeps {
  readonly deadlines: Pick<Deadlines, 'sleep' | 'start' | 'areOver'>;
  readonly retry: RetryPolicy;
  /** Most attempts for one call, retries and fallbacks together. */
  readonly maxAttempts: number;
}

export interface AttemptCandidatesInput {
  /** The money that was set aside, with the candidates it covers. */
  readonly hold: HeldFunds;
  readonly request: AnswerRequest;
  readonly context: RequestContext;
  /** The caller's stream; `null` when the caller wants the whole answer at once. */
  readonly live: CallStream | null;
  /** Asks the parts of candidates that have some. */
  readonly askPart?: AskPart | undefined;
  /** Of a part: the attempt that it belongs to. */
  readonly within?: OuterAttempt | undefined;
}

/** The replies, of which the last is the caller's and all before it are empty or parts of it; or the error for the caller. With the possible costs of failed attempts. */
export type AttemptsResult = { readonly losses: readonly Loss[] } & (
  | { readonly status: 'answered'; readonly paid: readonly [PaidReply, ...PaidReply[]] }
  | { readonly status: 'failed'; readonly error: RequestError }
);

/** The state of a call between two attempts. */
interface Progress {
  readonly endsAtMs: number;
  readonly losses: Loss[];
  paid: PaidReply[];
  /** The caller's error for the last failed attempt; `null` before the first failure. */
  error: RequestError | null;
  /** Candidates that may still be tried, in order. */
  left: CallableModel[];
  /** Candidates that have been tried. */
  readonly tried: CallableModel[];
  /** Retries of the last tried candidate. */
  retries: number;
}

/**
 * Tries the candidates in order until one answers; where the route says so, until one has more than an empty reply. If no usable candidate is left after a
 * failure, retries the failed candidate after a pause, when its error permits a retry. Ends when no attempts or no time is left, when a part of an answer has been delivered, or when the caller has gone away.
 */
export async function attemptCandidates(
  deps: AttemptCandidatesDeps,
  input: AttemptCandidatesInput,
): Promise<AttemptsResult> {
  const { hold, request, context, live, askPart, within } = input;
  const { candidates, longestMs } = hold.route;
  const endsAtMs = Math.min(deps.clock.monotonic() + longestMs, within?.endsAtMs ?? Number.POSITIVE_INFINITY);
  // Most calls have one attempt, and need none.
  let progress: Progress | undefined;
  for (let next = within?.deadline.passed !== true; next && !deps.deadlines.areOver(); ) {
    const asked = deps.permits.acquire({ candidates: progress?.left ?? candidates, request, context, endsAtMs });
    // Most permits are available at once, and `await` would slow down each of those calls.
    const permit = asked instanceof Promise ? await permitWithin(within, asked) : asked;
    if (permit === null) break;
    const { candidate } = permit;
    const hedge = hedgeOf(hold.route, candidate, progress?.tried);
    const attempt = { permit, request, context, live, endsAtMs, askPart, within };
    const startMs = deps.clock.monotonic();
    context.askedAtMs = startMs;
    const attempted =
      hedge === undefined
        ? [{ candidate, result: await deps.attempt(attempt) }]
        : await attemptWithHedge(deps, attempt, hedge);
    context.askedAtMs = null;
    context.upstreamMs += deps.clock.monotonic() - startMs;
    const [{ result }] = attempted;
    if (
      progress === undefined &&
      attempted.length === 1 &&
      result.status === 'answered' &&
      !goesOn(input, result.outcome)
    )
      return { status: 'answered', paid: paidFor(candidate, result), losses: result.losses };
    progress ??= { endsAtMs, losses: [], paid: [], error: null, left: [...candidates], tried: [], retries: 0 };
    const { paid, failed } = noteAttempts(progress, attempted);
    const served = paid.at(-1);
    if (served !== undefined) {
      progress.paid = progress.paid.concat(paid);
      if (!goesOn(input, served.outcome)) break;
    } else if (failed === null) break;
    else progress.error = callerError(failed.error, failed.candidate, context.attempts);
    // The caller has the beginning of this provider's answer: another provider's answer does not continue it.
    next = live?.hasStarted !== true && (await moveOn(deps, input, { progress, failed }));
  }
  const { losses, paid } = progress ?? NO_PROGRESS;
  if (paid.length > 0) return { status: 'answered', paid: paid as [PaidReply, ...PaidReply[]], losses };
  // Created only on failure: an error captures its stack, which would cost every good answer more than the rest of this function.
  return { status: 'failed', error: finalError(deps, input, progress ?? { error: null, left: candidates }), losses };
}

/** Whether the route goes on after an empty reply. */
function goesOn({ hold, request }: AttemptCandidatesInput, { value }: PaidReply['outcome']): boolean {
  return hold.route.isNextOnEmpty === true && request.call.isEmpty?.(value) === true;
}

type Answered = Extract<AttemptResult, { readonly status: 'answered' }>;

/** The replies of an attempt: those of its parts, and its own. */
function paidFor(served: CallableModel, { bought = NONE, outcome }: Answered): readonly [PaidReply, ...PaidReply[]] {
  return [...bought, { outcome, served }] as unknown as [PaidReply, ...PaidReply[]];
}

/** @returns `null`, and gives the permit back, where the attempt that a part belongs to ends before. */
async function permitWithin(
  within: OuterAttempt | undefined,
  asked: Promise<ProviderPermit | null>,
): Promise<ProviderPermit | null> {
  const permit = await orPassed(within, asked);
  if (within?.deadline.passed !== true) return permit;
  void asked.then((late) => {
    late?.free();
    late?.abandoned();
  });
  return null;
}

/** Waits, but no longer than the attempt that a part belongs to. */
function orPassed<T>(within: OuterAttempt | undefined, waiting: Promise<T>): Promise<T | null> {
  if (within === undefined) return waiting;
  const passed = new Promise<null>((resolve) => within.deadline.onPass(() => resolve(null)));
  return Promise.race([waiting, passed]);
}

/** The hedge of a candidate. Each model is hedged at most once; retries are not hedged. */
function hedgeOf({ hedges }: RoutePlan, candidate: CallableModel, tried: readonly CallableModel[] = []) {
  if (tried.includes(candidate)) return undefined;
  return hedges?.find(({ first, second }) => first === candidate && !tried.includes(second));
}

/** Records tried candidates and losses. When both attempts of a hedge fail, the caller sees the first failure, and the first model may be retried. */
function noteAttempts(progress: Progress, attempted: readonly Attempted[]) {
  const { tried, losses } = progress;
  let paid = NONE;
  let failed: FailedAttempt | null = null;
  for (const { candidate, result } of attempted) {
    tried.push(candidate);
    // A model that lost a race to an empty reply may still find something.
    const isDone = result.status !== 'hedged';
    // What is no fault of a key is the same with the other key of the model.
    const isOfBoth = isDone && !(result.status === 'failed' && isOfKey(result.error));
    const stays = (each: CallableModel) => (each === candidate ? !isDone : each.model !== candidate.model || !isOfBoth);
    progress.left = progress.left.filter(stays);
    if (result.status === 'answered') paid = paidFor(candidate, result);
    losses.push(...result.losses);
    if (result.status === 'failed') failed ??= { candidate, error: result.error };
  }
  return { paid, failed: paid.length === 0 ? failed : null };
}

const NONE: readonly PaidReply[] = [];
const NO_PROGRESS: Pick<Progress, 'losses' | 'paid'> = { losses: [], paid: [] };

function finalError(
  { deadlines, permits }: AttemptCandidatesDeps,
  { hold, request, context, within }: AttemptCandidatesInput,
  { error, left }: Pick<Progress, 'error'> & { readonly left: readonly CallableModel[] },
): RequestError {
  // A part has no caller: its attempt is over.
  if (within === undefined && request.isDisconnected()) return new RequestError('client_closed_request');
  if (deadlines.areOver()) return shuttingDown();
  if (error !== null) return error;
  if (within?.deadline.passed === true) {
    const details = detailsOf(hold.route.candidates[0], { attempts: context.attempts, status: null, phase: 'connect' });
    return new RequestError('upstream_timeout', { details });
  }
  const limited = permits.firstUsable({ candidates: left, request });
  if (limited === undefined) return permits.unavailable({ candidates: hold.route.candidates, request });
  const refusal = permits.refusal(limited, request.apiKey.organizationId);
  if (refusal === null) return shuttingDown();
  const { reason, retryAfterMs } = refusal;
  if (reason === 'connection_wait_exceeded') return new RequestError(reason, { retryAfterMs });
  const details = detailsOf(limited, { attempts: context.attempts, status: null, phase: 'connect' });
  return new RequestError(reason, { details, retryAfterMs });
}

interface FailedAttempt {
  readonly candidate: CallableModel;
  readonly error: UpstreamError;
}

/**
 * Prepares the next attempt, and waits before a retry.
 *
 * @param last.failed `null` after an empty reply.
 * @returns false when no further attempt may be made.
 */
async function moveOn(
  { permits, deadlines, retry, clock, maxAttempts }: AttemptCandidatesDeps,
  { request, context, within }: AttemptCandidatesInput,
  { progress, failed }: { readonly progress: Progress; readonly failed: FailedAttempt | null },
): Promise<boolean> {
  if (context.attempts >= maxAttempts || request.isDisconnected()) return false;
  if (permits.firstUsable({ candidates: progress.left, request }) !== undefined) {
    progress.retries = 0;
    return clock.monotonic() < progress.endsAtMs;
  }
  if (failed === null) return false;
  const { candidate, error } = failed;
  // A page that makes a vendor fail would do so again.
  const isOfPage = request.call.kind.mayFailByInput && error.reason === 'upstream_error';
  // Parts were tried again by themselves: all of them would be bought twice.
  const isFinal = isOfPage || candidate.parts !== undefined;
  const delayMs = isFinal ? null : retryDelayMs(error, progress.retries, retry);
  if (delayMs === null || clock.monotonic() + delayMs + neededMs(candidate) > progress.endsAtMs) return false;
  progress.retries += 1;
  progress.left.unshift(candidate);
  await orPassed(within, deadlines.sleep(delayMs));
  return !request.isDisconnected();
}

/** The caller's error for a failed attempt. It never contains text from the provider. */
function callerError(error: UpstreamError, candidate: CallableModel, attempts: number): RequestError {
  // The error of a part; an adapter of another kind may have asked another gateway.
  if (candidate.parts !== undefined && isRequestError(error.cause)) return error.cause;
  const upstream = detailsOf(candidate, { attempts, status: error.status, phase: error.phase });
  const details = error.failed === undefined ? upstream : { ...upstream, failed: error.failed };
  const retryAfterMs =
    error.retryAfterMs ?? (error.reason === 'upstream_rate_limited' ? DEFAULT_RETRY_AFTER_MS : undefined);
  return new RequestError(error.reason, { details, cause: error, retryAfterMs });
}

function detailsOf(
  { provider, model, own }: CallableModel,
  { attempts, status, phase }: Pick<UpstreamError, 'status' | 'phase'> & { readonly attempts: number },
): UpstreamDetails {
  return { provider, model: model.slug, attempts, upstreamStatus: status, phase, ...(own && { byok: true }) };
}

const DEFAULT_RETRY_AFTER_MS = 5_000;
