import { RequestError } from '../base/errors/request-error.js';
import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { EventStream } from '../base/events/events.js';
import type { ProviderSlotRefused } from '../base/events/provider-events.js';
import type { Clock } from '../base/time/clock.js';
import type { Deadlines } from '../base/time/deadline.js';
import { accountOf, type CallableModel, neededMs } from '../catalog/catalog.js';
import { isOfKey, type KeyRing } from '../limits/key-ring.js';
import type { ProviderLimit, ProviderLimits, Slot, WaitingCall } from '../limits/provider-limits.js';
import type { CircuitBreaker, CircuitPermit } from '../routing/circuit-breaker.js';
import type { AnswerRequest, RequestContext } from './answer.js';

export interface ProviderPermitsDeps {
  readonly breaker: CircuitBreaker;
  readonly limits: ProviderLimits;
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

/**
 * Permission for one attempt at a candidate: its provider is not paused, and the attempt has a slot there, of the share of its organization. Use it at once.
 * Ends with {@link free}, and with exactly one of `succeeded`, `failed` and `abandoned`.
 */
export class ProviderPermit {
  readonly candidate: CallableModel;
  /** The slot of the attempt. */
  readonly slot: Slot;
  readonly #deps: Pick<ProviderPermitsDeps, 'breaker' | 'limits'>;
  readonly #circuit: CircuitPermit;

  constructor(deps: Pick<ProviderPermitsDeps, 'breaker' | 'limits'>, candidate: CallableModel, held: HeldPermit) {
    this.candidate = candidate;
    this.#deps = deps;
    this.#circuit = held.circuit;
    this.slot = held.slot;
  }

  /** The keys of the operator, where there are several and the organization has none of its own. */
  get ring(): KeyRing | undefined {
    return this.candidate.own === undefined ? this.#limit.ring : undefined;
  }

  get #limit(): ProviderLimit {
    return this.#deps.limits.of(this.candidate.provider);
  }

  /** Takes a slot with a key other than these, which serves. Where such keys are busy, waits as a call does. @returns `null` for none in time. */
  async nextSlot(
    tried: ReadonlySet<string>,
    wait: Omit<WaitingCall, 'organizationId' | 'tried'>,
  ): Promise<Slot | null> {
    const { organizationId } = this.#circuit;
    const slot = this.#limit.enter(organizationId, { tried });
    if (slot !== null || !this.#hasKey(tried)) return slot;
    const waited = await this.#limit.wait({ organizationId, tried, ...wait });
    if (!wait.isGone()) return waited;
    waited?.free();
    return null;
  }

  #hasKey(tried?: ReadonlySet<string>): boolean {
    return (this.ring?.serving(tried).length ?? 0) > 0;
  }

  /** Takes one more slot, for a request beside that of the attempt. @returns `null` when the provider or the organization is at its limit. */
  enterSlot(): Slot | null {
    return this.#limit.enter(this.#circuit.organizationId, this.candidate);
  }

  /** Gives the slot back. Only the first time counts. */
  free(): void {
    this.slot.free();
  }

  /** The provider answered. */
  succeeded(): void {
    this.#deps.breaker.succeeded(this.#circuit);
  }

  /** The attempt failed. Of a key alone, that tells nothing about the provider while another key serves. */
  failed(error: UpstreamError): void {
    if (isOfKey(error) && this.#hasKey()) this.abandoned();
    else this.#deps.breaker.failed(this.#circuit, error);
  }

  /** The gateway ended the attempt, which tells nothing about the provider. */
  abandoned(): void {
    this.#deps.breaker.abandoned(this.#circuit);
  }
}

interface HeldPermit {
  readonly circuit: CircuitPermit;
  readonly slot: Slot;
}

/** Gives the permission for each attempt, by the circuit breaker and the limits of the providers together. */
export class ProviderPermits {
  readonly #deps: ProviderPermitsDeps;

  constructor(deps: ProviderPermitsDeps) {
    this.#deps = deps;
  }

  /** Whether the provider of a candidate is not paused for an organization. */
  isUsable(candidate: CallableModel, organizationId: string): boolean {
    return this.#deps.breaker.pausedForMs(accountOf(candidate), organizationId) === 0;
  }

  /** The first candidate whose provider is not paused for the caller. */
  firstUsable({ candidates, request }: Pick<AttemptWish, 'candidates' | 'request'>): CallableModel | undefined {
    const { organizationId } = request.apiKey;
    for (const candidate of candidates) if (this.isUsable(candidate, organizationId)) return candidate;
    return undefined;
  }

  /**
   * Acquires the first candidate that has enough time left and whose provider is neither paused nor over its limit. If only limits block the call, it waits
   * in the queue of one provider: that of its first usable candidate.
   *
   * @returns `null` when no candidate may be tried any more.
   */
  acquire(wish: AttemptWish): ProviderPermit | null | Promise<ProviderPermit | null> {
    return this.acquireNow(wish) ?? this.#acquireAfterWait(wish);
  }

  /** Like {@link acquire}, but never waits. */
  acquireNow(wish: AttemptWish): ProviderPermit | null {
    const { candidates, request, endsAtMs } = wish;
    const { limits, clock } = this.#deps;
    const { organizationId } = request.apiKey;
    const leftMs = endsAtMs - clock.monotonic();
    const passedOver: CallableModel[] = [];
    for (const candidate of candidates) {
      if (neededMs(candidate) > leftMs || !this.isUsable(candidate, organizationId)) continue;
      const slot = limits.of(candidate.provider).enter(organizationId, candidate);
      const permit = slot === null ? null : this.#permitOf(wish, candidate, slot);
      if (permit === null) passedOver.push(candidate);
      else {
        for (const other of passedOver) {
          const { reason } = limits.of(other.provider).refusal(organizationId, other);
          this.#report(wish, { candidate: other, reason, outcome: 'passed_over', waitedMs: 0 });
        }
        return permit;
      }
    }
    return null;
  }

  async #acquireAfterWait(wish: AttemptWish): Promise<ProviderPermit | null> {
    const { request, endsAtMs } = wish;
    const { limits, deadlines, clock } = this.#deps;
    const startMs = clock.monotonic();
    const leftMs = endsAtMs - startMs;
    const candidates = wish.candidates.filter((each) => neededMs(each) < leftMs);
    const candidate = this.firstUsable({ candidates, request });
    if (candidate === undefined) return null;
    const { organizationId } = request.apiKey;
    const limit = limits.of(candidate.provider);
    const { reason } = limit.refusal(organizationId, candidate);
    const slot = await limit.wait({
      organizationId,
      own: candidate.own,
      longestMs: leftMs - neededMs(candidate),
      isGone: () => request.isDisconnected(),
    });
    const waitedMs = clock.monotonic() - startMs;
    wish.context.waitedMs += waitedMs;
    this.#report(wish, { candidate, reason, outcome: slot === null ? 'given_up' : 'waited', waitedMs });
    if (request.isDisconnected() || deadlines.areOver()) {
      slot?.free();
      return null;
    }
    // Meanwhile this provider may have been paused, or another provider may have room.
    return (slot === null ? null : this.#permitOf(wish, candidate, slot)) ?? this.acquireNow(wish);
  }

  /** Frees the slot and returns `null` when the provider is paused. */
  #permitOf({ request }: AttemptWish, candidate: CallableModel, slot: Slot): ProviderPermit | null {
    const circuit = this.#deps.breaker.enter(accountOf(candidate), request.apiKey.organizationId);
    if (circuit !== null) return new ProviderPermit(this.#deps, candidate, { circuit, slot });
    slot.free();
    return null;
  }

  /** Refuses a call when the providers of all its candidates are paused. @throws RequestError `upstream_unavailable`. */
  requireUsable(wish: Pick<AttemptWish, 'candidates' | 'request'>): void {
    if (this.firstUsable(wish) === undefined) throw this.unavailable(wish);
  }

  /** The error of a call when the providers of all its candidates are paused. */
  unavailable({ candidates, request }: Pick<AttemptWish, 'candidates' | 'request'>): RequestError {
    const { organizationId } = request.apiKey;
    const pausesMs = candidates.map((each) => this.#deps.breaker.pausedForMs(accountOf(each), organizationId));
    return new RequestError('upstream_unavailable', { retryAfterMs: Math.min(...pausesMs) });
  }

  /** Why the organization gets no slot now; `null` once the gateway closes. */
  refusal(candidate: CallableModel, organizationId: string): ReturnType<ProviderLimit['refusal']> | null {
    const { limits } = this.#deps;
    return limits.isClosed() ? null : limits.of(candidate.provider).refusal(organizationId, candidate);
  }

  #report({ context, request }: AttemptWish, { candidate, ...limited }: Limited): void {
    const { events, clock } = this.#deps;
    const { provider, model } = candidate;
    const { organizationId } = request.apiKey;
    const about = { requestId: context.requestId, organizationId, provider, model: model.slug };
    events.emit({ type: 'provider_slot_refused', atMs: clock.now(), ...about, ...limited });
  }
}

interface Limited extends Pick<ProviderSlotRefused, 'reason' | 'outcome' | 'waitedMs'> {
  readonly candidate: CallableModel;
}
