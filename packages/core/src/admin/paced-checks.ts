import type { Clock } from '../base/time/clock.js';

/** Checks of many subjects in the background: of each at most one under way, and at most one a second. */
export interface PacedChecks<S> {
  /** Has a subject checked soon, as it was last given here. The last call is always followed by a check. */
  request(id: string, subject: S): void;
  /** Checks what is left without pausing. Resolves when nothing is under way. */
  close(): Promise<void>;
}

export interface PacedChecksDeps<S> {
  readonly clock: Clock;
  /** Never rejects. @returns `null`, or after how long the subject is to be checked again without a request. */
  check(subject: S): Promise<number | null>;
  /** A request found too many subjects waiting, and no room for one more. */
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
/** About 20 MB. Far more than can be charged in the second for which each is remembered. */
const MOST_SUBJECTS = 100_000;
const NO_PAUSE = (): void => undefined;

export function createPacedChecks<S>({ clock, check, refused }: PacedChecksDeps<S>): PacedChecks<S> {
  /** Waiting, running or pausing. */
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
    request(id, subject) {
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
    close() {
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
