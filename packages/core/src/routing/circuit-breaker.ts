import type { UpstreamReason } from '../base/errors/reasons.js';
import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { GatewayEvent } from '../base/events/events.js';
import { madeIn } from '../base/made-in.js';
import { StateMap } from '../base/state-map.js';
import type { Clock } from '../base/time/clock.js';
import type { OwnKey } from '../catalog/own-key.js';

/** Until `untilMs` the circuit is open; after that it is half-open and permits one probe at a time. */
interface Pause {
  /** While a probe is running: when the probe counts as lost, and another probe is permitted. */
  untilMs: number;
  probe: CircuitPermit | null;
}

/** How long callers are asked to wait while a probe is running. */
const PROBE_RECHECK_MS = 1_000;

function leftMs(pause: Pause | null, nowMs: number): number {
  if (pause === null) return 0;
  const left = Math.max(0, pause.untilMs - nowMs);
  return pause.probe === null ? left : Math.min(left, PROBE_RECHECK_MS);
}

function beginProbe(pause: Pause | null, permit: CircuitPermit, untilMs: number): void {
  if (pause === null) return;
  pause.probe = permit;
  pause.untilMs = untilMs;
}

/** Ends the probe of a pause, so that the next probe may follow at once. @returns whether the permit was the probe. */
function endProbe(pause: Pause | null, permit: CircuitPermit, nowMs: number): boolean {
  if (pause?.probe !== permit) return false;
  pause.probe = null;
  pause.untilMs = nowMs;
  return true;
}

/** Failures and pauses of single organizations at a provider, since the last success of the organization there. */
type OwnFailures = ReturnType<typeof createOwnFailures>;

interface Own {
  failures: number;
  pause: Pause | null;
  /** When the last pause ended. Attempts that began before that do not count. */
  sinceMs: number;
}

/** Beyond this number, the organizations with the oldest last failure are forgotten. */
const MOST_ORGANIZATIONS = 1_000;

function createOwnFailures() {
  /** In order of the last failure. */
  const all = new Map<string, Own>();

  function keep(organizationId: string, own: Own): void {
    all.delete(organizationId);
    all.set(organizationId, own);
    for (const oldest of all.keys()) {
      if (all.size <= MOST_ORGANIZATIONS) return;
      all.delete(oldest);
    }
  }

  return {
    /** Counts a failure. @returns the consecutive failures of the organization; 0 for an attempt that began before its last pause. */
    failed({ organizationId, beganAtMs }: CircuitPermit): number {
      const own = all.get(organizationId) ?? { failures: 0, pause: null, sinceMs: Number.NEGATIVE_INFINITY };
      if (beganAtMs < own.sinceMs) return 0;
      own.failures += 1;
      keep(organizationId, own);
      return own.failures;
    },
    /** Clears the failures and the pause of an organization. @returns whether the provider was paused for the organization. */
    succeeded(organizationId: string, clock: Pick<Clock, 'monotonic'>): boolean {
      const own = all.get(organizationId);
      if (own === undefined) return false;
      const wasPaused = own.pause !== null;
      if (wasPaused) own.sinceMs = clock.monotonic();
      own.pause = null;
      own.failures = 0;
      return wasPaused;
    },
    pause(organizationId: string, pause: Pause): void {
      const own = all.get(organizationId);
      if (own !== undefined) own.pause = pause;
    },
    pauseOf: (organizationId: string) => all.get(organizationId)?.pause ?? null,
    /** Ends the pauses of organizations with fewer failures. */
    endPausesBelow(failures: number): void {
      for (const own of all.values()) if (own.failures < failures) own.pause = null;
    },
    /** The organizations for which the provider is paused. */
    pausedAt(nowMs: number): string[] {
      return [...all].filter(([, { pause }]) => leftMs(pause, nowMs) > 0).map(([organizationId]) => organizationId);
    },
  };
}

export interface CircuitBreakerOptions {
  /** The number of consecutive failures that pause a provider. */
  readonly failureThreshold: number;
  /** How long a provider is paused before a probe, in milliseconds. */
  readonly cooldownMs: number;
  readonly clock: Clock;
  emit(event: GatewayEvent): void;
}

/**
 * Pauses failing providers, so that callers do not wait for them: a circuit breaker per provider, and a circuit breaker per provider and failing
 * organization. No organization can pause a provider for the others: failures that a caller may have caused count for all only if several organizations have
 * them. The failures of an organization pause the provider for that organization, whatever happens to the others.
 */
export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/** The status of a provider in the circuit breaker. */
export interface ProviderStatus {
  /** `paused`: the provider is skipped. `probing`: one trial request at a time; the first success closes the circuit. */
  readonly state: 'serving' | 'paused' | 'probing';
  /** When the first probe is permitted, in milliseconds since the Unix epoch; `null` unless `paused`. */
  readonly pausedUntilMs: number | null;
  /** The organizations for which the provider is paused by their own failures; at most 1,000. */
  readonly pausedForOrganizationIds: readonly string[];
}

type Account = string | OwnKey;
type Failure = Pick<UpstreamError, 'reason' | 'retryAfterMs'>;

/** A permit for one attempt. */
export interface CircuitPermit {
  readonly account: Account;
  readonly organizationId: string;
  /** The provider's round when the attempt began. Attempts of an earlier round do not count. */
  readonly round: number;
  readonly beganAtMs: number;
}

interface State {
  /** Incremented at the beginning and end of each pause for all. */
  round: number;
  readonly failures: ConsecutiveFailures;
  forAll: Pause | null;
  /** Failures and pauses of single organizations. */
  readonly own: OwnFailures;
}

export function createCircuitBreaker(options: CircuitBreakerOptions) {
  const { failureThreshold, cooldownMs, clock } = options;
  const states = new StateMap<State>();

  const stateOf = (account: Account) => madeIn(states, account, newState);

  /** Pauses the provider, for all organizations or for one organization. */
  function pause({ account }: CircuitPermit, error: Failure, organizationId: string | null): void {
    const { reason } = error;
    const state = stateOf(account);
    const durationMs = pauseMs(error, cooldownMs);
    const started = { untilMs: clock.monotonic() + durationMs, probe: null };
    if (organizationId === null) {
      state.forAll = started;
      state.round += 1;
      state.failures.clear();
    } else state.own.pause(organizationId, started);
    const atMs = clock.now();
    const paused = { ...named(account, organizationId), reason, untilMs: atMs + durationMs };
    options.emit({ type: 'provider_paused', atMs, ...paused });
  }

  function resumed(account: Account, organizationId: string | null): void {
    options.emit({ type: 'provider_resumed', atMs: clock.now(), ...named(account, organizationId) });
  }

  return {
    /** Whether the provider is paused now. Changes nothing. */
    statusOf: (provider: string) => statusOf(stateOf(provider), clock),
    /**
     * Milliseconds until the organization may try the provider again; 0 for now. Changes nothing.
     *
     * @param account the id of the provider for the account of the operator. Each key of an organization has a circuit of its own.
     */
    pausedForMs: (account: Account, organizationId: string) => pausedForMs(stateOf(account), organizationId, clock),
    /**
     * Requests a permit for an attempt. After a pause only one attempt at a time is permitted, as a probe. Every permit must end with exactly one call of
     * `succeeded`, `failed` or `abandoned`.
     * @returns `null` while the provider is paused.
     */
    enter(account: Account, organizationId: string): CircuitPermit | null {
      const state = stateOf(account);
      const nowMs = clock.monotonic();
      const permit: CircuitPermit = { account, organizationId, round: state.round, beganAtMs: nowMs };
      const pauseOfOwn = state.own.pauseOf(organizationId);
      // No pause: nearly always.
      if (state.forAll === null && pauseOfOwn === null) return permit;
      if (waitMs(state, organizationId, nowMs) > 0) return null;
      beginProbe(state.forAll, permit, nowMs + cooldownMs);
      beginProbe(pauseOfOwn, permit, nowMs + cooldownMs);
      return permit;
    },
    /** The provider answered: ends the pause for all and the pause of the organization. */
    succeeded({ account, organizationId }: CircuitPermit): void {
      const state = stateOf(account);
      state.failures.clear();
      if (state.own.succeeded(organizationId, clock)) resumed(account, organizationId);
      if (state.forAll === null) return;
      state.forAll = null;
      // Pauses of organizations that began because a probe of the pause for all failed.
      state.own.endPausesBelow(failureThreshold);
      state.round += 1;
      resumed(account, null);
    },
    /** The attempt failed. A failure that tells nothing about the provider ends a probe without a verdict. */
    failed(permit: CircuitPermit, error: Failure): void {
      const { organizationId } = permit;
      const state = stateOf(permit.account);
      const nowMs = clock.monotonic();
      const own = state.own.pauseOf(organizationId);
      const wasProbe = [endProbe(state.forAll, permit, nowMs), endProbe(own, permit, nowMs)].includes(true);
      if (permit.round !== state.round || !state.failures.add(error.reason, organizationId)) return;
      const ownFailures = state.own.failed(permit);
      // After a pause, the first failures decide.
      const threshold = state.forAll === null ? failureThreshold : 1;
      if (state.failures.againstAll(threshold) >= threshold) pause(permit, error, null);
      else if (ownFailures >= threshold && (wasProbe || own === null)) pause(permit, error, organizationId);
    },
    /** The gateway ended the attempt, which tells nothing about the provider. */
    abandoned(permit: CircuitPermit): void {
      const state = stateOf(permit.account);
      const nowMs = clock.monotonic();
      endProbe(state.forAll, permit, nowMs);
      endProbe(state.own.pauseOf(permit.organizationId), permit, nowMs);
    },
  };
}

/** An account of an organization is paused for it alone. */
function named(account: Account, organizationId: string | null) {
  if (typeof account === 'string') return { provider: account, organizationId };
  return { provider: account.provider, organizationId: account.organizationId, byok: true } as const;
}

function newState(): State {
  return { round: 0, failures: createConsecutiveFailures(), forAll: null, own: createOwnFailures() };
}

/** A provider that limits our rate is paused only for as long as it asks, because it may be serving other calls of ours. */
function pauseMs({ reason, retryAfterMs }: Failure, cooldownMs: number): number {
  return reason === 'upstream_rate_limited' ? Math.min(retryAfterMs ?? cooldownMs, cooldownMs) : cooldownMs;
}

function statusOf({ forAll, own }: State, clock: Clock): ProviderStatus {
  const nowMs = clock.monotonic();
  const pausedForOrganizationIds = own.pausedAt(nowMs);
  // While a probe is running, `untilMs` is the deadline of the probe.
  const left = forAll === null || forAll.probe !== null ? 0 : forAll.untilMs - nowMs;
  if (left > 0) return { state: 'paused', pausedUntilMs: clock.now() + Math.ceil(left), pausedForOrganizationIds };
  return { state: forAll === null ? 'serving' : 'probing', pausedUntilMs: null, pausedForOrganizationIds };
}

/** Reads the clock only if needed, because each answer calls this function several times. */
function pausedForMs(state: State, organizationId: string, clock: Clock): number {
  if (state.forAll === null && state.own.pauseOf(organizationId) === null) return 0;
  return waitMs(state, organizationId, clock.monotonic());
}

function waitMs({ forAll, own }: State, organizationId: string, nowMs: number): number {
  return Math.max(leftMs(forAll, nowMs), leftMs(own.pauseOf(organizationId), nowMs));
}

/**
 * The evidence of a failure against the provider. `certain`: no caller can cause the failure, so the next caller would have it too. `disputed`: the cause is
 * either the provider or a question whose answer is cut off, never comes or has no sources. Other reasons are only about a single request.
 */
const EVIDENCE: { readonly [R in UpstreamReason]?: 'certain' | 'disputed' } = {
  upstream_auth_failed: 'certain',
  upstream_quota_exhausted: 'certain',
  upstream_rate_limited: 'certain',
  upstream_error: 'certain',
  upstream_unreachable: 'certain',
  upstream_timeout: 'disputed',
  upstream_invalid_response: 'disputed',
};

/** The number of organizations that are counted separately. All others count together as one organization. */
const MAX_ORGANIZATIONS = 16;
/** No organization has this id. */
const FURTHER = '';

/** The failures of a provider since its last success. */
type ConsecutiveFailures = ReturnType<typeof createConsecutiveFailures>;

export function createConsecutiveFailures() {
  const disputed = new Map<string, number>();
  let certain = 0;

  return {
    /** Counts a failure. @returns `false` for a failure that tells nothing about the provider. */
    add(reason: UpstreamReason, organizationId: string): boolean {
      const evidence = EVIDENCE[reason];
      if (evidence === 'certain') certain += 1;
      if (evidence === 'disputed') {
        const name = disputed.has(organizationId) || disputed.size < MAX_ORGANIZATIONS ? organizationId : FURTHER;
        disputed.set(name, (disputed.get(name) ?? 0) + 1);
      }
      return evidence !== undefined;
    },
    /**
     * The number of failures that count against the provider for all callers: certain failures, and disputed failures if they come from several organizations.
     * An organization counts for at most half of the threshold.
     */
    againstAll(threshold: number): number {
      if (disputed.size < 2) return certain;
      const most = Math.ceil(threshold / 2);
      let count = certain;
      for (const failures of disputed.values()) count += Math.min(failures, most);
      return count;
    },
    clear(): void {
      certain = 0;
      // Every answer comes here, and clearing even an empty map makes a new table.
      if (disputed.size > 0) disputed.clear();
    },
  };
}
