import type { Clock } from '../base/time/clock.js';

export interface ThrottledChecksDeps<S> {
  readonly clock: Clock;
  /** Never rejects. @returns the milliseconds until another check is due without a request; `null` for no further check. */
  check(subject: S): Promise<number | null>;
  /** Called when a request is dropped, because there are too many subjects. */
  refused(): void;
}

interface Entry<S> {
  readonly id: string;
  subject: S;
  isDue: boolean;
  cancelPause(): void;
}

const PAUSE_MS = 1_000;
const MOST_RUNNING = 8;
/** About 20 MB. A subject is kept for a second, and far fewer subjects can be charged in a second. */
const MOST_SUBJECTS = 100_000;
const NO_PAUSE = (): void => undefined;

/** Checks many subjects in the background: each subject at most once at a time, and at most once a second. */
export function createThrottledChecks<S>({ clock, check, refused }: ThrottledChecksDeps<S>) {
  /** Entries that are waiting, running or pausing. */
  const entries = new Map<string, Entry<S>>();
  const waiting = new Set<Entry<S>>();
  let running = 0;
  let closed: (() => void) | null = null;

  function startNext(): void {
    for (const entry of waiting) {
      if (running === MOST_RUNNING) return;
      waiting.delete(entry);
      running += 1;
      void run(entry);
    }
    if (running === 0) closed?.();
  }

  async function run(entry: Entry<S>): Promise<void> {
    entry.isDue = false;
    const againMs = await check(entry.subject);
    running -= 1;
    if (closed !== null) endPause(entry);
    else {
      if (againMs !== null) entry.isDue = true;
      entry.cancelPause = clock.schedule(againMs ?? PAUSE_MS, () => endPause(entry), 'background');
    }
    startNext();
  }

  function endPause(entry: Entry<S>): void {
    entry.cancelPause = NO_PAUSE;
    if (entry.isDue) waiting.add(entry);
    else entries.delete(entry.id);
    startNext();
  }

  return {
    /** Checks a subject soon, as given in the last call. A check always follows the last call. */
    request(id: string, subject: S): void {
      const known = entries.get(id);
      if (known !== undefined) {
        known.subject = subject;
        known.isDue = true;
        return;
      }
      if (entries.size === MOST_SUBJECTS) {
        refused();
        return;
      }
      const entry = { id, subject, isDue: true, cancelPause: NO_PAUSE };
      entries.set(id, entry);
      waiting.add(entry);
      startNext();
    },
    /** Checks all remaining subjects without pauses. Resolves when no check is running. */
    close(): Promise<void> {
      const whenClosed = new Promise<void>((resolve) => (closed = resolve));
      for (const entry of entries.values()) {
        if (entry.cancelPause === NO_PAUSE) continue;
        entry.cancelPause();
        endPause(entry);
      }
      startNext();
      return whenClosed;
    },
  };
}
