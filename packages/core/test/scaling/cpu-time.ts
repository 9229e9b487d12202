/** Reads something hostile of about this many characters. What is read is made before the time is taken. */
export type Reading = (length: number) => () => unknown;

const SHORT = 5_000;
const LONG = 50_000;
/** What is promised for a text of this length (50 ms for a megabyte): no closer look is needed. */
const QUICK_US = 2_500;
/** Forty times as much is wrong even when it is linear. */
const SLOW_US = 100_000;
/** By what factor a character of the long text may cost more than one of the short one; ten, where the time is quadratic. */
const MAX_RATIO = 4;
const TRIES = 6;

/**
 * What is wrong with the time that a reading takes; `undefined` when it grows no faster than the text. CPU time and not the clock's, and the best of
 * several tries, so that a busy machine changes nothing.
 */
export async function problemOf(reading: Reading): Promise<string | undefined> {
  const short = reading(SHORT);
  let shortUs = await cpuTime(short);
  const long = reading(LONG);
  let longUs = await cpuTime(long);
  const isFine = () => longUs <= QUICK_US || (longUs <= SLOW_US && longUs / LONG <= (MAX_RATIO * shortUs) / SHORT);
  for (let tries = 0; tries < TRIES && (!isFine() || tries === 0) && longUs > QUICK_US; tries += 1) {
    shortUs = Math.min(shortUs, await cpuTime(short));
    if (longUs < TRIES * SLOW_US) longUs = Math.min(longUs, await cpuTime(long));
  }
  return isFine() ? undefined : `${longUs} µs for ${LONG} characters, ${shortUs} µs for ${SHORT}`;
}

/** In microseconds, of the whole process. */
async function cpuTime(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  const result = run();
  if (result instanceof Promise) await result;
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
