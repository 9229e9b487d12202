import { RequestError } from '../base/errors/request-error.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit } from '../base/time/time-limit.js';

/** Lets work of many groups begin in turns, so that it costs no more than a bound and no group takes the turns of another. */
export interface LookupTurns {
  /** @throws RequestError `overloaded` after a wait of `timeoutMs`, or where too many wait. */
  run<T>(group: string, work: () => Promise<T>): Promise<T>;
}

export interface LookupTurnsOptions {
  /** Longest wait for a turn. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Of all groups together: at most so many at once, and so many in as many milliseconds: 1,000 a second. */
const AT_ONCE = 16;
const TURN_MS = 16;
const MAX_WAITING = 10_000;
const MAX_WAITING_PER_GROUP = 2_000;
const RETRY_AFTER_MS = 1_000;

export function createLookupTurns({ timeoutMs, clock }: LookupTurnsOptions): LookupTurns {
  const waits = createTimeLimit(clock, timeoutMs);
  /** By group, in the order of their turns; each with those who wait in the order they came. */
  const lines = new Map<string, Set<() => void>>();
  let waiting = 0;
  let underWay = 0;

  function leave(group: string, begin: () => void): void {
    const line = lines.get(group);
    if (line?.delete(begin) !== true) return;
    waiting -= 1;
    lines.delete(group);
    // The next turn is another group's.
    if (line.size > 0) lines.set(group, line);
  }

  function beginNext(): void {
    const [first] = lines;
    const [begin] = first?.[1] ?? [];
    if (first === undefined || begin === undefined) return;
    leave(first[0], begin);
    underWay += 1;
    begin();
  }

  function turn(group: string): Promise<void> {
    const line = lines.get(group) ?? new Set();
    if (waiting >= MAX_WAITING || line.size >= MAX_WAITING_PER_GROUP) throw overloaded();
    let begin = (): void => undefined;
    const wait = () => new Promise<void>((resolve) => (begin = resolve));
    const waited = waits.run(wait, () => {
      leave(group, begin);
      return overloaded();
    });
    lines.set(group, line.add(begin));
    waiting += 1;
    return waited;
  }

  function end(): void {
    underWay -= 1;
    beginNext();
  }

  return {
    async run(group, work) {
      if (underWay < AT_ONCE) underWay += 1;
      else await turn(group);
      const beganMs = clock.monotonic();
      try {
        return await work();
      } finally {
        const restMs = TURN_MS - (clock.monotonic() - beganMs);
        if (restMs > 0) clock.schedule(restMs, end);
        else end();
      }
    },
  };
}

function overloaded(): RequestError {
  return new RequestError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
}
