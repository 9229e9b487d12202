import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { GatewayEvent } from '../base/events/events.js';
import type { Clock } from '../base/time/clock.js';
import { createFailuresInARow, type FailuresInARow } from './consecutive-failures.js';

/** Nothing is let through until `untilMs`; after that, one probe at a time. */
interface Pause<Permit> {
  /** While a probe is out: when it is given up for lost, and another one let through. */
  untilMs: number;
  probe: Permit | null;
}

/** How long callers are asked to wait while a probe is running. */
const PROBE_RECHECK_MS = 1_000;

function leftMs(pause: Pause<unknown> | null, nowMs: number): number {
  if (pause === null) return 0;
  const left = Math.max(0, pause.untilMs - nowMs);
  return pause.probe === null ? left : Math.min(left, PROBE_RECHECK_MS);
}

function beginProbe<Permit>(pause: Pause<Permit> | null, entry: Permit, untilMs: number): void {
  if (pause === null) return;
  pause.probe = entry;
  pause.untilMs = untilMs;
}

/** @returns whether the entry was the pause's probe. The next one may follow at once. */
function endProbe<Permit>(pause: Pause<Permit> | null, entry: Permit, nowMs: number): boolean {
  if (pause?.probe !== entry) return false;
  pause.probe = null;
  pause.untilMs = nowMs;
  return true;
}

/** An attempt of an organization. */
interface OwnAttempt {
  readonly organizationId: string;
  readonly beganAtMs: number;
}

/** What single organizations have met at one provider since their own last success there, and for which of them it is paused. */
interface OwnFailures<Permit extends OwnAttempt> {
  /** Counts a failure. @returns how many the organization has met in a row; 0 for an attempt from before its last pause. */
  failed(attempt: Permit): number;
  /** Forgets its failures and ends its pause. @returns whether there was one. */
  succeeded(organizationId: string, clock: Pick<Clock, 'monotonic'>): boolean;
  pause(organizationId: string, pause: Pause<Permit>): void;
  pauseOf(organizationId: string): Pause<Permit> | null;
  /** Ends the pauses of organizations that have met fewer failures than this. */
  endPausesBelow(failures: number): void;
  /** The organizations for which the provider is paused at this moment. */
  pausedAt(nowMs: number): string[];
}

interface Own<Permit> {
  failures: number;
  pause: Pause<Permit> | null;
  /** What began before its last pause ended says nothing about the time after it. */
  sinceMs: number;
}

/** Of more organizations, those whose last failure is the longest ago are forgotten. */
const MOST_ORGANIZATIONS = 1_000;

function createOwnFailures<Permit extends OwnAttempt>(): OwnFailures<Permit> {
  /** In the order of their last failures. */
  const all = new Map<string, Own<Permit>>();

  function keep(organizationId: string, own: Own<Permit>): void {
    all.delete(organizationId);
    all.set(organizationId, own);
    for (const oldest of all.keys()) {
      if (all.size <= MOST_ORGANIZATIONS) return;
      all.delete(oldest);
    }
  }

  return {
    failed({ organizationId, beganAtMs }) {
      const own = all.get(organizationId) ?? { failures: 0, pause: null, sinceMs: Number.NEGATIVE_INFINITY };
      if (beganAtMs < own.sinceMs) return 0;
      own.failures += 1;
      keep(organizationId, own);
      return own.failures;
    },
    succeeded(organizationId, clock) {
      const own = all.get(organizationId);
      if (own === undefined) return false;
      const wasPaused = own.pause !== null;
      if (wasPaused) own.sinceMs = clock.monotonic();
      own.pause = null;
      own.failures = 0;
      return wasPaused;
    },
    pause(organizationId, pause) {
      const own = all.get(organizationId);
      if (own !== undefined) own.pause = pause;
    },
    pauseOf: (organizationId) => all.get(organizationId)?.pause ?? null,
    endPausesBelow(failures) {
      for (const own of all.values()) if (own.failures < failures) own.pause = null;
    },
    pausedAt(nowMs) {
      return [...all].filter(([, { pause }]) => leftMs(pause, nowMs) > 0).map(([organizationId]) => organizationId);
    },
  };
}

export interface CircuitBreakerOptions {
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

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
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
      const entry: CircuitPermit = { provider, organizationId, round: state.round, beganAtMs: nowMs };
      const pauseOfOwn = state.own.pauseOf(organizationId);
      // As nearly always.
      if (state.forAll === null && pauseOfOwn === null) return entry;
      if (waitMs(state, organizationId, nowMs) > 0) return null;
      beginProbe(state.forAll, entry, nowMs + cooldownMs);
      beginProbe(pauseOfOwn, entry, nowMs + cooldownMs);
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
