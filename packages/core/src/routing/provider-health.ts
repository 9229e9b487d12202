import type { UpstreamError } from '../errors/upstream-error.js';
import type { GatewayEvent } from '../events/events.js';
import type { Clock } from '../time/clock.js';
import { createFailuresInARow, type FailuresInARow } from './failures-in-a-row.js';
import { createRecentCallers, type RecentCallers } from './recent-callers.js';

export interface ProviderHealthOptions {
  /** Failures in a row that pause a provider. */
  readonly failureThreshold: number;
  /** How long a paused provider is left alone before one probe is let through. */
  readonly cooldownMs: number;
  readonly clock: Clock;
  emit(event: GatewayEvent): void;
}

/**
 * Remembers which providers keep failing, so that callers do not wait for them: a circuit breaker per provider. No organization can pause a
 * provider for the others: failures that a caller may have caused count only when several organizations meet them, and where one alone
 * calls, they pause the provider for that one.
 */
export interface ProviderHealth {
  /** Milliseconds until this organization may try the provider again; 0 when it may now. Changes nothing. */
  pausedForMs(provider: string, organizationId: string): number;
  /**
   * Asks to make one attempt. After a pause only one attempt at a time is let through, as a probe. Every entry must end in exactly one of
   * the calls below.
   * @returns `null` while the provider is paused.
   */
  enter(provider: string, organizationId: string): Entry | null;
  /** The provider answered: it is healthy, and every pause is over. */
  succeeded(entry: Entry): void;
  /** The attempt failed. Failures that say nothing about the provider as a whole end a probe without a verdict. */
  failed(entry: Entry, error: Failure): void;
  /** The attempt was ended by us: it says nothing about the provider. */
  abandoned(entry: Entry): void;
  /** Whether the provider is paused now. Changes nothing. */
  statusOf(provider: string): ProviderStatus;
}

/** A provider as the circuit breaker has it. */
export interface ProviderStatus {
  /** `paused`: it is skipped. `probing`: its pause is over for one attempt at a time, and the first one that is answered ends it. */
  readonly state: 'serving' | 'paused' | 'probing';
  /** When the pause is over for a first attempt, in milliseconds since the Unix epoch; `null` unless `paused`. */
  readonly pausedUntilMs: number | null;
  /** The one organization for which a provider that serves all others is paused or probed; `null` for none. */
  readonly pausedForOrganizationId: string | null;
}

type Failure = Pick<UpstreamError, 'reason' | 'retryAfterMs'>;

/** The right to make one attempt. */
export interface Entry {
  readonly provider: string;
  readonly organizationId: string;
  /** Of the provider when the attempt began: what began before a pause says nothing about the time after it. */
  readonly round: number;
}

/** Nothing is let through until `untilMs`; after that, one probe at a time. */
interface Pause {
  /** While a probe is out: when it is given up for lost, and another one let through. */
  untilMs: number;
  probe: Entry | null;
}

interface State {
  /** Counts the pauses for every organization, and their ends. */
  round: number;
  readonly failures: FailuresInARow;
  readonly callers: RecentCallers;
  forAll: Pause | null;
  forOne: (Pause & { readonly organizationId: string }) | null;
}

/** How long callers are asked to wait while a probe is running. */
const PROBE_RECHECK_MS = 1_000;
/** How long an organization that has called counts as one that calls. */
const RECENT_CALL_MS = 300_000;

export function createProviderHealth(options: ProviderHealthOptions): ProviderHealth {
  const { failureThreshold, cooldownMs, clock } = options;
  const states = new Map<string, State>();

  function stateOf(provider: string): State {
    let state = states.get(provider);
    if (state === undefined) states.set(provider, (state = newState()));
    return state;
  }

  /** Pauses the provider, for every organization or for one. */
  function pause({ provider }: Entry, error: Failure, organizationId: string | null): void {
    const { reason } = error;
    const state = stateOf(provider);
    const durationMs = pauseMs(error, cooldownMs);
    const started = { untilMs: clock.monotonic() + durationMs, probe: null };
    state.forOne = organizationId === null ? null : { ...started, organizationId };
    if (organizationId === null) {
      state.forAll = started;
      state.round += 1;
      state.failures.clear();
    }
    const atMs = clock.now();
    options.emit({ type: 'provider_paused', atMs, provider, organizationId, reason, untilMs: atMs + durationMs });
  }

  return {
    statusOf: (provider) => statusOf(stateOf(provider), clock),
    pausedForMs: (provider, organizationId) => pausedForMs(stateOf(provider), organizationId, clock),
    enter(provider, organizationId) {
      const state = stateOf(provider);
      const nowMs = clock.monotonic();
      if (waitMs(state, organizationId, nowMs) > 0) return null;
      state.callers.called(organizationId, nowMs);
      const entry: Entry = { provider, organizationId, round: state.round };
      beginProbe(state.forAll, entry, nowMs + cooldownMs);
      beginProbe(pauseOf(state, organizationId), entry, nowMs + cooldownMs);
      return entry;
    },
    succeeded({ provider }) {
      const state = stateOf(provider);
      state.failures.clear();
      if (isServing(state)) return;
      const organizationId = state.forAll === null ? (state.forOne?.organizationId ?? null) : null;
      state.forAll = null;
      state.forOne = null;
      state.round += 1;
      options.emit({ type: 'provider_resumed', atMs: clock.now(), provider, organizationId });
    },
    failed(entry, error) {
      const { organizationId } = entry;
      const state = stateOf(entry.provider);
      const { failures, callers } = state;
      const nowMs = clock.monotonic();
      const own = pauseOf(state, organizationId);
      const wasProbe = [endProbe(state.forAll, entry, nowMs), endProbe(own, entry, nowMs)].includes(true);
      if (entry.round !== state.round) return;
      const evidence = failures.add(error.reason, organizationId);
      // After a pause, the first failures decide.
      const threshold = state.forAll === null ? failureThreshold : 1;
      if (failures.againstAll(threshold) >= threshold) pause(entry, error, null);
      else if (evidence === 'disputed' && failures.againstOne(organizationId) >= threshold) {
        const decides = wasProbe || (own === null && callers.isAlone(organizationId, nowMs));
        if (decides) pause(entry, error, organizationId);
      }
    },
    abandoned(entry) {
      const state = stateOf(entry.provider);
      const nowMs = clock.monotonic();
      endProbe(state.forAll, entry, nowMs);
      endProbe(pauseOf(state, entry.organizationId), entry, nowMs);
    },
  };
}

function newState(): State {
  const callers = createRecentCallers(RECENT_CALL_MS);
  return { round: 0, failures: createFailuresInARow(), callers, forAll: null, forOne: null };
}

/** A provider that limits our rate is left alone for as long as it asks for, since it may be serving others of our calls. */
function pauseMs({ reason, retryAfterMs }: Failure, cooldownMs: number): number {
  return reason === 'upstream_rate_limited' ? Math.min(retryAfterMs ?? cooldownMs, cooldownMs) : cooldownMs;
}

/** The pause for this organization alone. */
function pauseOf({ forOne }: State, organizationId: string): Pause | null {
  return forOne !== null && forOne.organizationId === organizationId ? forOne : null;
}

/** Whether nothing is paused, for anyone. */
function isServing({ forAll, forOne }: State): boolean {
  return forAll === null && forOne === null;
}

function statusOf({ forAll, forOne }: State, clock: Clock): ProviderStatus {
  const pausedForOrganizationId = forOne?.organizationId ?? null;
  // While a probe is out, its time is not that of the pause.
  const left = forAll === null || forAll.probe !== null ? 0 : forAll.untilMs - clock.monotonic();
  if (left > 0) return { state: 'paused', pausedUntilMs: clock.now() + Math.ceil(left), pausedForOrganizationId };
  return { state: forAll === null ? 'serving' : 'probing', pausedUntilMs: null, pausedForOrganizationId };
}

/** Reads the time only where it matters: this is asked several times for every answer. */
function pausedForMs(state: State, organizationId: string, clock: Clock): number {
  return isServing(state) ? 0 : waitMs(state, organizationId, clock.monotonic());
}

function waitMs(state: State, organizationId: string, nowMs: number): number {
  return Math.max(leftMs(state.forAll, nowMs), leftMs(pauseOf(state, organizationId), nowMs));
}

function leftMs(pause: Pause | null, nowMs: number): number {
  if (pause === null) return 0;
  const left = Math.max(0, pause.untilMs - nowMs);
  return pause.probe === null ? left : Math.min(left, PROBE_RECHECK_MS);
}

function beginProbe(pause: Pause | null, entry: Entry, untilMs: number): void {
  if (pause === null) return;
  pause.probe = entry;
  pause.untilMs = untilMs;
}

/** @returns whether the entry was the pause's probe. The next one may follow at once. */
function endProbe(pause: Pause | null, entry: Entry, nowMs: number): boolean {
  if (pause?.probe !== entry) return false;
  pause.probe = null;
  pause.untilMs = nowMs;
  return true;
}
