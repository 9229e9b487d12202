import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { GatewayEvent } from '../base/events/events.js';
import type { Clock } from '../base/time/clock.js';
import { createFailuresInARow, type FailuresInARow } from './consecutive-failures.js';
import { createOwnFailures, type OwnFailures } from './own-failures.js';
import { beginProbe, endProbe, leftMs, type Pause } from './pause.js';

export interface ProviderHealthOptions {
  /** Failures in a row that pause a provider. */
  readonly failureThreshold: number;
  /** How long a paused provider is left alone before one probe is let through. */
  readonly cooldownMs: number;
  readonly clock: Clock;
  emit(event: GatewayEvent): void;
}

/**
 * Remembers which providers keep failing, so that callers do not wait for them: a circuit breaker per provider, and one for each organization that
 * keeps failing there. No organization can pause a provider for the others: failures that a caller may have caused count for all only when several
 * organizations meet them. An organization's own failures pause the provider for it, whatever the others meet.
 */
export interface CircuitBreaker {
  /** Milliseconds until this organization may try the provider again; 0 when it may now. Changes nothing. */
  pausedForMs(provider: string, organizationId: string): number;
  /**
   * Asks to make one attempt. After a pause only one attempt at a time is let through, as a probe. Every entry must end in exactly one of
   * the calls below.
   * @returns `null` while the provider is paused.
   */
  enter(provider: string, organizationId: string): CircuitPermit | null;
  /** The provider answered: the pause for all is over, and that of the organization. */
  succeeded(entry: CircuitPermit): void;
  /** The attempt failed. Failures that say nothing about the provider as a whole end a probe without a verdict. */
  failed(entry: CircuitPermit, error: Failure): void;
  /** The attempt was ended by us: it says nothing about the provider. */
  abandoned(entry: CircuitPermit): void;
  /** Whether the provider is paused now. Changes nothing. */
  statusOf(provider: string): ProviderStatus;
}

/** A provider as the circuit breaker has it. */
export interface ProviderStatus {
  /** `paused`: it is skipped. `probing`: its pause is over for one attempt at a time, and the first one that is answered ends it. */
  readonly state: 'serving' | 'paused' | 'probing';
  /** When the pause is over for a first attempt, in milliseconds since the Unix epoch; `null` unless `paused`. */
  readonly pausedUntilMs: number | null;
  /** The organizations for which it is paused by failures of their own, at most 1,000. */
  readonly pausedForOrganizationIds: readonly string[];
}

type Failure = Pick<UpstreamError, 'reason' | 'retryAfterMs'>;

/** The right to make one attempt. */
export interface CircuitPermit {
  readonly provider: string;
  readonly organizationId: string;
  /** Of the provider when the attempt began: what began before a pause says nothing about the time after it. */
  readonly round: number;
  readonly beganAtMs: number;
}

interface State {
  /** Counts the pauses for every organization, and their ends. */
  round: number;
  readonly failures: FailuresInARow;
  forAll: Pause<CircuitPermit> | null;
  /** Failures and pauses of single organizations. */
  readonly own: OwnFailures<CircuitPermit>;
}

export function createCircuitBreaker(options: ProviderHealthOptions): CircuitBreaker {
  const { failureThreshold, cooldownMs, clock } = options;
  const states = new Map<string, State>();

  function stateOf(provider: string): State {
    let state = states.get(provider);
    if (state === undefined) states.set(provider, (state = newState()));
    return state;
  }

  /** Pauses the provider, for every organization or for one. */
  function pause({ provider }: CircuitPermit, error: Failure, organizationId: string | null): void {
    const { reason } = error;
    const state = stateOf(provider);
    const durationMs = pauseMs(error, cooldownMs);
    const started = { untilMs: clock.monotonic() + durationMs, probe: null };
    if (organizationId === null) {
      state.forAll = started;
      state.round += 1;
      state.failures.clear();
    } else state.own.pause(organizationId, started);
    const atMs = clock.now();
    options.emit({ type: 'provider_paused', atMs, provider, organizationId, reason, untilMs: atMs + durationMs });
  }

  function resumed(provider: string, organizationId: string | null): void {
    options.emit({ type: 'provider_resumed', atMs: clock.now(), provider, organizationId });
  }

  return {
    statusOf: (provider) => statusOf(stateOf(provider), clock),
    pausedForMs: (provider, organizationId) => pausedForMs(stateOf(provider), organizationId, clock),
    enter(provider, organizationId) {
      const state = stateOf(provider);
      const nowMs = clock.monotonic();
      if (waitMs(state, organizationId, nowMs) > 0) return null;
      const entry: CircuitPermit = { provider, organizationId, round: state.round, beganAtMs: nowMs };
      beginProbe(state.forAll, entry, nowMs + cooldownMs);
      beginProbe(state.own.pauseOf(organizationId), entry, nowMs + cooldownMs);
      return entry;
    },
    succeeded({ provider, organizationId }) {
      const state = stateOf(provider);
      state.failures.clear();
      if (state.own.succeeded(organizationId, clock)) resumed(provider, organizationId);
      if (state.forAll === null) return;
      state.forAll = null;
      // Those that began because a probe of the pause for all had failed.
      state.own.endPausesBelow(failureThreshold);
      state.round += 1;
      resumed(provider, null);
    },
    failed(entry, error) {
      const { organizationId } = entry;
      const state = stateOf(entry.provider);
      const nowMs = clock.monotonic();
      const own = state.own.pauseOf(organizationId);
      const wasProbe = [endProbe(state.forAll, entry, nowMs), endProbe(own, entry, nowMs)].includes(true);
      if (entry.round !== state.round || !state.failures.add(error.reason, organizationId)) return;
      const ownFailures = state.own.failed(entry);
      // After a pause, the first failures decide.
      const threshold = state.forAll === null ? failureThreshold : 1;
      if (state.failures.againstAll(threshold) >= threshold) pause(entry, error, null);
      else if (ownFailures >= threshold && (wasProbe || own === null)) pause(entry, error, organizationId);
    },
    abandoned(entry) {
      const state = stateOf(entry.provider);
      const nowMs = clock.monotonic();
      endProbe(state.forAll, entry, nowMs);
      endProbe(state.own.pauseOf(entry.organizationId), entry, nowMs);
    },
  };
}

function newState(): State {
  return { round: 0, failures: createFailuresInARow(), forAll: null, own: createOwnFailures() };
}

/** A provider that limits our rate is left alone for as long as it asks for, since it may be serving others of our calls. */
function pauseMs({ reason, retryAfterMs }: Failure, cooldownMs: number): number {
  return reason === 'upstream_rate_limited' ? Math.min(retryAfterMs ?? cooldownMs, cooldownMs) : cooldownMs;
}

function statusOf({ forAll, own }: State, clock: Clock): ProviderStatus {
  const nowMs = clock.monotonic();
  const pausedForOrganizationIds = own.pausedAt(nowMs);
  // While a probe is out, its time is not that of the pause.
  const left = forAll === null || forAll.probe !== null ? 0 : forAll.untilMs - nowMs;
  if (left > 0) return { state: 'paused', pausedUntilMs: clock.now() + Math.ceil(left), pausedForOrganizationIds };
  return { state: forAll === null ? 'serving' : 'probing', pausedUntilMs: null, pausedForOrganizationIds };
}

/** Reads the time only where it matters: this is asked several times for every answer. */
function pausedForMs(state: State, organizationId: string, clock: Clock): number {
  if (state.forAll === null && state.own.pauseOf(organizationId) === null) return 0;
  return waitMs(state, organizationId, clock.monotonic());
}

function waitMs({ forAll, own }: State, organizationId: string, nowMs: number): number {
  return Math.max(leftMs(forAll, nowMs), leftMs(own.pauseOf(organizationId), nowMs));
}
