import { clientGroup } from '@searchgate/core/ledger';

/** How often passwords may be tried, in a minute. */
const WINDOW_MS = 60_000;
const MOST_PER_ADDRESS = 10;
/** The one that came first is forgotten where there are more. */
const MAX_ADDRESSES = 10_000;

/**
 * Counts tries of passwords by address. There is no limit for all addresses together: strangers could keep the operator out with it.
 *
 * @param now in ms, monotonic.
 * @returns a function that counts a try, and says how many there were before it in this minute; `null` where it is one too many.
 */
export function limitAttempts(now: () => number = () => performance.now()): (address: string) => number | null {
  const counts = new Map<string, number>();
  let windowEndsMs = 0;

  return (address) => {
    if (now() >= windowEndsMs) {
      counts.clear();
      windowEndsMs = now() + WINDOW_MS;
    }
    const group = clientGroup(address) ?? '';
    const count = counts.get(group) ?? 0;
    if (count >= MOST_PER_ADDRESS) return null;
    const [first] = counts.keys();
    if (count === 0 && counts.size >= MAX_ADDRESSES && first !== undefined) counts.delete(first);
    counts.set(group, count + 1);
    return count;
  };
}

const MOST_WAITING = 20;

/** Does one piece of work at a time. @returns a function that gives `null` for work that is not done, since too much waits that has been tried less. */
export function leastTriedFirst(): <T>(tries: number, work: () => Promise<T>) => Promise<T | null> {
  /** Who waits, in the order of their turns. */
  const waiting: { readonly tries: number; begin(mayBegin: boolean): void }[] = [];
  let isBusy = false;

  const turn = (tries: number) =>
    new Promise<boolean>((begin) => {
      waiting.push({ tries, begin });
      waiting.sort((one, other) => one.tries - other.tries);
      for (const each of waiting.splice(MOST_WAITING)) each.begin(false);
    });

  return async (tries, work) => {
    if (isBusy && !(await turn(tries))) return null;
    isBusy = true;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      isBusy = next !== undefined;
      next?.begin(true);
    }
  };
}
