/** Nothing is let through until `untilMs`; after that, one probe at a time. */
export interface Pause<CircuitPermit> {
  /** While a probe is out: when it is given up for lost, and another one let through. */
  untilMs: number;
  probe: CircuitPermit | null;
}

/** How long callers are asked to wait while a probe is running. */
const PROBE_RECHECK_MS = 1_000;

export function leftMs(pause: Pause<unknown> | null, nowMs: number): number {
  if (pause === null) return 0;
  const left = Math.max(0, pause.untilMs - nowMs);
  return pause.probe === null ? left : Math.min(left, PROBE_RECHECK_MS);
}

export function beginProbe<CircuitPermit>(
  pause: Pause<CircuitPermit> | null,
  entry: CircuitPermit,
  untilMs: number,
): void {
  if (pause === null) return;
  pause.probe = entry;
  pause.untilMs = untilMs;
}

/** @returns whether the entry was the pause's probe. The next one may follow at once. */
export function endProbe<CircuitPermit>(
  pause: Pause<CircuitPermit> | null,
  entry: CircuitPermit,
  nowMs: number,
): boolean {
  if (pause?.probe !== entry) return false;
  pause.probe = null;
  pause.untilMs = nowMs;
  return true;
}
