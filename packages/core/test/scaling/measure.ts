/*
 * Run as a separate process, so that nothing else uses its CPU time: `measure.ts functions` or `measure.ts providers` prints the problems of each reader.
 * `measure.ts megabyte functions` or `measure.ts megabyte providers` prints the cost of a megabyte for each reader: the slowest shapes, in milliseconds
 * of CPU time.
 */
import { isUpstreamError } from '../../src/base/errors/upstream-error.js';
import type { CallContext } from '../../src/provider-kit/provider.js';
import { cpuTime, problemOf, type Reading } from './cpu-time.js';
import { type HostileReply, hostileReplies } from './hostile-replies.js';
import { SHAPES } from './shapes.js';
import { TEXT_READERS } from './text-readers.js';

/** The problems of each reader by name, and the number of hostile inputs. */
export type Measured = Readonly<Record<string, { readonly readings: number; readonly problems: readonly string[] }>>;

type NamedReading = readonly [reader: string, name: string, reading: Reading];

function ofFunctions(): NamedReading[] {
  return Object.entries(TEXT_READERS).flatMap(([reader, read]) =>
    SHAPES.map(
      ({ name, make }): NamedReading => [
        reader,
        name,
        (length) => {
          const text = make(length);
          return { characters: text.length, read: orRefusal(read(text)) };
        },
      ],
    ),
  );
}

function ofProviders(): NamedReading[] {
  return hostileReplies().map((hostile) => [
    hostile.provider.id,
    `${hostile.slug}, ${hostile.name}`,
    readingOf(hostile),
  ]);
}

/** A refused text has been read too. */
function orRefusal(read: () => unknown): () => unknown {
  return () => {
    try {
      return read();
    } catch (error) {
      if (!isUpstreamError(error)) throw error;
      return error;
    }
  };
}

function readingOf({ provider, slug, make }: HostileReply): Reading {
  const model = provider.models.find((candidate) => candidate.slug === slug);
  if (model === undefined) throw new Error(`no model ${slug}`);
  return (length) => {
    const text = make(length);
    const send = () => Promise.resolve({ status: 200, header: () => undefined, text });
    const context: CallContext = { upstream: { send }, signal: new AbortController().signal };
    return {
      characters: text.length,
      read: () => provider.answer!.answer({ model, query: 'Is it open?' }, context).catch((error: unknown) => error),
    };
  };
}

/** A slow reading is repeated after all others, when a briefly busy machine is idle again. */
async function measure(readings: readonly NamedReading[]): Promise<Measured> {
  const measured: Record<string, { readings: number; problems: string[] }> = {};
  const suspects: NamedReading[] = [];
  for (const named of readings) {
    const [reader, , reading] = named;
    measured[reader] ??= { readings: 0, problems: [] };
    measured[reader].readings += 1;
    if ((await problemOf(reading)) !== undefined) suspects.push(named);
  }
  for (const [reader, name, reading] of suspects) {
    const problem = await problemOf(reading);
    if (problem !== undefined) measured[reader]?.problems.push(`${name}: ${problem}`);
  }
  return measured;
}

/** CPU time of the slowest readings of each reader, in milliseconds: the event loop is blocked at most this long. */
async function ofMegabyte(readings: readonly NamedReading[]): Promise<Record<string, Record<string, number>>> {
  const times: Record<string, [name: string, ms: number][]> = {};
  for (const [reader, name, reading] of readings)
    (times[reader] ??= []).push([name, await bestMs(megabyteOf(reading))]);
  const slowest = (each: [string, number][]) => each.sort((a, b) => b[1] - a[1]).slice(0, 5);
  return Object.fromEntries(Object.entries(times).map(([reader, each]) => [reader, Object.fromEntries(slowest(each))]));
}

/** The input made from a text, such as a reply with long lists, can be longer than asked for. */
function megabyteOf(reading: Reading): () => unknown {
  const { characters, read } = reading(MEGABYTE);
  return characters > 1.1 * MEGABYTE ? reading(MEGABYTE * (MEGABYTE / characters)).read : read;
}

const MEGABYTE = 1_000_000;
const PROMISED_MS = 50;
const MAX_TRIES = 6;

/** The best of three, and of three more if a busy machine may have exceeded the promise. */
async function bestMs(read: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 || (tries < MAX_TRIES && best > PROMISED_MS); tries += 1)
    best = Math.min(best, (await cpuTime(read)) / 1_000);
  return Math.round(best);
}

const what = process.argv.slice(2);
const readings = what.includes('providers') ? ofProviders() : ofFunctions();
const measured = what.includes('megabyte') ? await ofMegabyte(readings) : await measure(readings);
process.stdout.write(JSON.stringify(measured, null, 1));
