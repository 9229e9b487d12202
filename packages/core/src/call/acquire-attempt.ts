import type { EventStream } from '../base/events/events.js';
import type { ProviderLimited } from '../base/events/provider-events.js';
import type { Clock } from '../base/time/clock.js';
import type { Deadlines } from '../base/time/deadline.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { Slot, UpstreamLimits } from '../limits/provider-limits.js';
import type { CircuitBreaker, CircuitPermit } from '../routing/circuit-breaker.js';
import type { AnswerRequest, RequestContext } from './answer.js';

export interface AcquireDeps {
  readonly breaker: CircuitBreaker;
  readonly limits: UpstreamLimits;
  readonly deadlines: Pick<Deadlines, 'areOver'>;
  readonly clock: Clock;
  readonly events: Pick<EventStream, 'emit'>;
}

/** A call with the candidates it may try now. */
export interface AttemptWish {
  readonly candidates: readonly CallableModel[];
  readonly request: Pick<AnswerRequest, 'apiKey' | 'isDisconnected'>;
  readonly context: RequestContext;
  /** The call's deadline, by the monotonic clock. */
  readonly endsAtMs: number;
}

/** Permission for one attempt at a candidate. Use it at once. */
export interface AttemptPermit {
  readonly candidate: CallableModel;
  /** Goes back to the circuit breaker with the result of the attempt. */
  readonly circuitPermit: CircuitPermit;
  /** Is freed when the attempt ends. */
  readonly slot: Slot;
}

/** With less than this share of the model's timeout left, an attempt would probably time out, and might still cost money. */
const LEAST_SHARE = 0.25;

/** The time a call must have left before an attempt at this model may begin. */
export function neededMs({ timeoutMs }: Pick<CallableModel, 'timeoutMs'>): number {
  return timeoutMs * LEAST_SHARE;
}

/**
 * Acquires the first candidate that has enough time left and whose provider is neither paused nor over its upstream limit. If only upstream limits block
 * the call, it waits in the queue of one provider: that of its first usable candidate.
 *
 * @returns `null` when no candidate may be tried any more.
 */
export function acquireAttempt(
  deps: AcquireDeps,
  asking: AttemptWish,
): AttemptPermit | null | Promise<AttemptPermit | null> {
  return acquireNow(deps, asking) ?? acquireAfterWait(deps, asking);
}

/** The first candidate whose provider is not paused for the caller. */
export function firstUsable(
  breaker: CircuitBreaker,
  { candidates, request }: Pick<AttemptWish, 'candidates' | 'request'>,
): CallableModel | undefined {
  const { organizationId } = request.apiKey;
  for (const candidate of candidates) {
    if (breaker.pausedForMs(candidate.provider, organizationId) === 0) return candidate;
  }
  return undefined;
}

/** Like {@link acquireAttempt}, but never waits. */
export function acquireNow(deps: AcquireDeps, asking: AttemptWish): AttemptPermit | null {
  const { candidates, request, endsAtMs } = asking;
  const { organizationId } = request.apiKey;
  const leftMs = endsAtMs - deps.clock.monotonic();
  const passedOver: CallableModel[] = [];
  for (const candidate of candidates) {
    if (neededMs(candidate) > leftMs || deps.breaker.pausedForMs(candidate.provider, organizationId) > 0) continue;
    const slot = deps.limits.enter(candidate.provider, organizationId);
    const permit = slot === null ? null : enter(deps, asking, { candidate, slot });
    if (permit === null) passedOver.push(candidate);
    else {
      for (const other of passedOver) {
        const { reason } = deps.limits.refusal(other.provider, organizationId);
        report(deps, asking, { candidate: other, reason, outcome: 'passed_over', waitedMs: 0 });
      }
      return permit;
    }
  }
  return null;
}

async function acquireAfterWait(deps: AcquireDeps, asking: AttemptWish): Promise<AttemptPermit | null> {
  const { request, endsAtMs } = asking;
  const { breaker, limits, deadlines, clock } = deps;
  const startMs = clock.monotonic();
  const leftMs = endsAtMs - startMs;
  const candidates = asking.candidates.filter((each) => neededMs(each) < leftMs);
  const candidate = firstUsable(breaker, { candidates, request });
  if (candidate === undefined) return null;
  const { organizationId } = request.apiKey;
  const { reason } = limits.refusal(candidate.provider, organizationId);
  const slot = await limits.wait(candidate.provider, {
    organizationId,
    longestMs: leftMs - neededMs(candidate),
    isGone: () => request.isDisconnected(),
  });
  const waitedMs = clock.monotonic() - startMs;
  asking.context.waitedMs += waitedMs;
  report(deps, asking, { candidate, reason, outcome: slot === null ? 'given_up' : 'waited', waitedMs });
  if (request.isDisconnected() || deadlines.areOver()) {
    slot?.free();
    return null;
  }
  // Meanwhile this provider may have been paused, or another provider may have room.
  return (slot === null ? null : enter(deps, asking, { candidate, slot })) ?? acquireNow(deps, asking);
}

/** Frees the slot and returns `null` when the provider is paused. */
function enter(
  { breaker }: AcquireDeps,
  { request }: AttemptWish,
  { candidate, slot }: Omit<AttemptPermit, 'circuitPermit'>,
): AttemptPermit | null {
  const circuitPermit = breaker.enter(candidate.provider, request.apiKey.organizationId);
  if (circuitPermit === null) slot.free();
  return circuitPermit === null ? null : { candidate, circuitPermit, slot };
}

interface Limited extends Pick<ProviderLimited, 'reason' | 'outcome' | 'waitedMs'> {
  readonly candidate: CallableModel;
}

function report(
  { events, clock }: AcquireDeps,
  { context, request }: AttemptWish,
  { candidate, ...limited }: Limited,
): void {
  const { provider, model } = candidate;
  const { organizationId } = request.apiKey;
  const about = { requestId: context.requestId, organizationId, provider, model: model.slug };
  events.emit({ type: 'provider_limited', atMs: clock.now(), ...about, ...limited });
}
