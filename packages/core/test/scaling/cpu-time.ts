/** A hostile input of about this many characters, made before the measurement. */
export type Reading = (length: number) => HostileText;

interface HostileText {
  readonly characters: number;
  readonly read: () => unknown;
}

const LENGTHS = [1_000, 10_000, 100_000];
/** Within the promise of 50 ms for a megabyte: accepted at once. */
const QUICK_US_PER_CHARACTER = 0.05;
/**
 * Three times the promise for a megabyte, since a busy machine triples CPU time. A text with many brackets costs as much at this length as at a
 * megabyte, because only the first brackets are read.
 */
const SLOW_US = 150_000;
/** The allowed ratio of cost per character between a text and one of a tenth of its length; quadratic time gives ten. */
const MAX_RATIO = 4;
const TRIES = 6;

/**
 * The problem with the time of a reading; `undefined` for linear time. Measures CPU time, the best of several tries, so that a busy machine
 * does not matter.
 */
export async function problemOf(reading: Reading): Promise<string | undefined> {
  const [short, middle, long] = LENGTHS.map((length) => timed(reading(length))) as [Timed, Timed, Timed];
  for (let tries = 0; tries < TRIES; tries += 1) {
    // The long text first: it takes ten times as long as the others and compiles their code.
    await long.take();
    if (long.best() <= QUICK_US_PER_CHARACTER) return undefined;
    // Twice: any delay of a short text would hide the slowness of the long text.
    for (const text of [short, middle, short, middle]) await text.take();
    const isLinear = growsLinearly(middle.best(), long.best()) && growsLinearly(short.best(), middle.best());
    const longUs = long.best() * long.characters;
    if (isLinear && (longUs <= SLOW_US || longUs <= SLOW_US * (await slowness()))) return undefined;
    if (longUs > TRIES * SLOW_US) break;
  }
  const times = [short, middle, long].map(({ characters, best }) => `${characters}: ${Math.round(best() * 1_000)}`);
  return `ns per character of ${times.join(', ')}`;
}

/** Time of the reference work on the idle machine of the promise. */
const REFERENCE_US = 3_500;

/** How much slower this machine currently is, measured with the same reference work; at least 1. */
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
  /** The shortest time of reading it, in microseconds per character. */
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

/** Whether a character of the longer text costs about as much. Below half of the promise, fixed costs and compilation dominate. */
function growsLinearly(shorter: number, longer: number): boolean {
  return longer <= MAX_RATIO * Math.max(shorter, QUICK_US_PER_CHARACTER / 2);
}

/** CPU time of the process in microseconds. */
export async function cpuTime(read: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  const result = read();
  if (result instanceof Promise) await result;
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
