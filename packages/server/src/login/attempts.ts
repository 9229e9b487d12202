/** How often passwords may be tried, in a minute. */
const WINDOW_MS = 60_000;
const MOST_PER_ADDRESS = 10;
const MOST = 60;

/**
 * Counts tries of passwords. The counters are those of one minute, of which no more addresses can be than tries.
 *
 * @param now in ms, monotonic.
 * @returns a function that counts a try, and says whether it may be made.
 */
export function limitAttempts(now: () => number = () => performance.now()): (address: string) => boolean {
  const counts = new Map<string, number>();
  let total = 0;
  let windowEndsMs = 0;

  return (address) => {
    if (now() >= windowEndsMs) {
      counts.clear();
      total = 0;
      windowEndsMs = now() + WINDOW_MS;
    }
    const count = counts.get(address) ?? 0;
    if (count >= MOST_PER_ADDRESS || total >= MOST) return false;
    counts.set(address, count + 1);
    total += 1;
    return true;
  };
}
