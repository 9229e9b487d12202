import type { Clock } from '../base/time/clock.js';
import { leftMs, type Pause } from './pause.js';

/** An attempt of an organization. */
interface OwnAttempt {
  readonly organizationId: string;
  readonly beganAtMs: number;
}

/** What single organizations have met at one provider since their own last success there, and for which of them it is paused. */
export interface OwnFailures<CircuitPermit extends OwnAttempt> {
  /** Counts a failure. @returns how many the organization has met in a row; 0 for an attempt from before its last pause. */
  failed(attempt: CircuitPermit): number;
  /** Forgets its failures and ends its pause. @returns whether there was one. */
  succeeded(organizationId: string, clock: Pick<Clock, 'monotonic'>): boolean;
  pause(organizationId: string, pause: Pause<CircuitPermit>): void;
  pauseOf(organizationId: string): Pause<CircuitPermit> | null;
  /** Ends the pauses of organizations that have met fewer failures than this. */
  endPausesBelow(failures: number): void;
  /** The organizations for which the provider is paused at this moment. */
  pausedAt(nowMs: number): string[];
}

interface Own<CircuitPermit> {
  failures: number;
  pause: Pause<CircuitPermit> | null;
  /** What began before its last pause ended says nothing about the time after it. */
  sinceMs: number;
}

/** Of more organizations, those whose last failure is the longest ago are forgotten. */
const MOST_ORGANIZATIONS = 1_000;

export function createOwnFailures<CircuitPermit extends OwnAttempt>(): OwnFailures<CircuitPermit> {
  /** In the order of their last failures. */
  const all = new Map<string, Own<CircuitPermit>>();

  function keep(organizationId: string, own: Own<CircuitPermit>): void {
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
