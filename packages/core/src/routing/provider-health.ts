import type { Clock } from '../clock.js';
import type { UpstreamReason } from '../errors.js';
import type { GatewayEvent } from '../events.js';

export interface ProviderHealthOptions {
  /** Failures in a row that pause a provider. */
  readonly failureThreshold: number;
  /** How long a paused provider is left alone before one probe is let through. */
  readonly cooldownMs: number;
  readonly clock: Clock;
  emit(event: GatewayEvent): void;
}

/** Remembers which providers keep failing, so that callers do not wait for them: a circuit breaker per provider. */
export interface ProviderHealth {
  /** Milliseconds until the provider may be tried again; 0 when it may be now. Changes nothing. */
  pausedForMs(provider: string): number;
  /**
   * Asks to make one attempt. After a cool-down only one attempt at a time is let through, as a probe. Every granted attempt must
   * end in exactly one of the calls below.
   */
  tryEnter(provider: string): boolean;
  /** The provider answered: it is healthy. */
  succeeded(provider: string): void;
  /** The attempt failed. Failures that say nothing about the provider as a whole end a probe without a verdict. */
  failed(provider: string, reason: UpstreamReason): void;
}

/**
 * Failures that would meet the next caller too. A refused request or query is about that request alone, and a rate limit passes by itself: pausing on it
 * would turn a busy provider into a dead one.
 */
const COUNTED: ReadonlySet<UpstreamReason> = new Set([
  'upstream_auth_failed',
  'upstream_quota_exhausted',
  'upstream_error',
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_invalid_response',
]);

interface State {
  failuresInARow: number;
  /** 0 while the provider is in use. */
  pausedUntilMs: number;
  probing: boolean;
}

const PROBE_RECHECK_MS = 1_000;

export function createProviderHealth({
  failureThreshold,
  cooldownMs,
  clock,
  emit,
}: ProviderHealthOptions): ProviderHealth {
  const states = new Map<string, State>();

  function stateOf(provider: string): State {
    let state = states.get(provider);
    if (state === undefined) states.set(provider, (state = { failuresInARow: 0, pausedUntilMs: 0, probing: false }));
    return state;
  }

  function pausedForMs(provider: string): number {
    const { pausedUntilMs, probing } = stateOf(provider);
    if (pausedUntilMs === 0) return 0;
    const left = pausedUntilMs - clock.monotonic();
    return left > 0 ? left : probing ? PROBE_RECHECK_MS : 0;
  }

  return {
    pausedForMs,
    tryEnter(provider) {
      if (pausedForMs(provider) > 0) return false;
      const state = stateOf(provider);
      state.probing = state.pausedUntilMs > 0;
      return true;
    },
    succeeded(provider) {
      const state = stateOf(provider);
      const wasPaused = state.pausedUntilMs > 0;
      state.failuresInARow = 0;
      state.pausedUntilMs = 0;
      state.probing = false;
      if (wasPaused) emit({ type: 'provider_closed', atMs: clock.now(), provider });
    },
    failed(provider, reason) {
      const state = stateOf(provider);
      const wasProbe = state.probing;
      state.probing = false;
      if (!COUNTED.has(reason)) return;
      state.failuresInARow += 1;
      const alreadyPaused = state.pausedUntilMs > clock.monotonic();
      if (alreadyPaused || (!wasProbe && state.failuresInARow < failureThreshold)) return;
      state.pausedUntilMs = clock.monotonic() + cooldownMs;
      emit({ type: 'provider_opened', atMs: clock.now(), provider, reason, untilMs: clock.now() + cooldownMs });
    },
  };
}
