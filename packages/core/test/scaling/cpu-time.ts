/** Something hostile of about this many characters. It is made before the time is taken. */
export type Reading = (length: number) => HostileText;

interface HostileText {
  readonly characters: number;
  readonly read: () => unknown;
}

const LENGTHS = [1_000, 10_000, 100_000];
/** Within the promise of 50 ms for a megabyte: no closer look is needed. */
const QUICK_US_PER_CHARACTER = 0.05;
/**
 * Three times the promise for a megabyte, since a busy machine makes CPU time three times as long. What has many brackets costs the same for the longest
 * of these texts as for a megabyte, because only the first brackets are read.
 */
const SLOW_US = 150_000;
/** By what factor a character of a text may cost more than one of a text a tenth as long; ten, where the time is quadratic. */
const MAX_RATIO = 4;
const TRIES = 6;

/**
 * What is wrong with the time that a reading takes; `undefined` when it grows no faster than the text. CPU time and not the clock's, and the best of
 * several tries, so that a busy machine changes nothing.
 */
export async function problemOf(reading: Reading): Promise<string | undefined> {
  const [short, middle, long] = LENGTHS.map((length) => timed(reading(length))) as [Timed, Timed, Timed];
  for (let tries = 0; tries < TRIES; tries += 1) {
    // The long text first: its time is ten times that of the others, and its reading compiles the code for them.
    await long.take();
    if (long.best() <= QUICK_US_PER_CHARACTER) return undefined;
    // Twice: whatever else makes a short text slow would hide that the long one is.
    for (const text of [short, middle, short, middle]) await text.take();
    const isLinear = growsLinearly(middle.best(), long.best()) && growsLinearly(short.best(), middle.best());
    const longUs = long.best() * long.characters;
    if (isLinear && (longUs <= SLOW_US || longUs <= SLOW_US * (await slowness()))) return undefined;
    if (longUs > TRIES * SLOW_US) break;
  }
  const times = [short, middle, long].map(({ characters, best }) => `${characters}: ${Math.round(best() * 1_000)}`);
  return `ns per character of ${times.join(', ')}`;
}

/** What the work below takes where the promise was measured, idle. */
const REFERENCE_US = 3_500;

/** How much slower this machine is at present than that one, by work that is always the same; at least 1. */
async function slowness(): Promise<number> {
  const text = 'a [b](https://c.example/) '.repeat(40_000);
  const { take, best } = timed({ characters: 1, read: () => countBrackets(text) });
  for (let tries = 0; tries < TRIES; tries += 1) await take();
  return Math.max(1, best() / REFERENCE_US);
}

function countBrackets(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) === 0x5b) count += 1;
  return count;
}

interface Timed {
  readonly characters: number;
  /** Reads the text once more. */
  take(): Promise<void>;
  /** The least time that reading it took, in microseconds per character. */
  best(): number;
}

function timed({ characters, read }: HostileText): Timed {
  let best = Number.POSITIVE_INFINITY;
  return {
    characters,
    async take() {
      best = Math.min(best, (await cpuTime(read)) / characters);
    },
    best: () => best,
  };
}

/** Whether a character of the longer text costs about as much. Below half of the promise, fixed costs and compiling would decide. */
function growsLinearly(shorter: number, longer: number): boolean {
  return longer <= MAX_RATIO * Math.max(shorter, QUICK_US_PER_CHARACTER / 2);
}

/** In microseconds, of the whole process. */
export async function cpuTime(read: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  const result = read();
  if (result instanceof Promise) await result;
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
