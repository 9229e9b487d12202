/*
 * Run as a process of its own, which nothing else takes CPU time of: `measure.ts functions` or `measure.ts providers`. Prints the problems of each reader.
 */
import type { AnswerContext } from '../../src/provider-kit/provider.js';
import { problemOf, type Reading } from './cpu-time.js';
import { type HostileReply, hostileReplies } from './hostile-replies.js';
import { SHAPES } from './shapes.js';
import { TEXT_READERS } from './text-readers.js';

/** The problems of each reader, by its name, and how many hostile things it has read. */
export type Measured = Readonly<Record<string, { readonly readings: number; readonly problems: readonly string[] }>>;

type NamedReading = readonly [reader: string, name: string, reading: Reading];

function ofFunctions(): NamedReading[] {
  return Object.entries(TEXT_READERS).flatMap(([reader, read]) =>
    SHAPES.map(({ name, make }): NamedReading => [reader, name, (length) => read(make(length))]),
  );
}

function ofProviders(): NamedReading[] {
  return hostileReplies().map((hostile) => [
    hostile.provider.id,
    `${hostile.slug}, ${hostile.name}`,
    readingOf(hostile),
  ]);
}

/** A text that is refused as an answer has still been read. */
function readingOf({ provider, slug, make }: HostileReply): Reading {
  const model = provider.models.find((candidate) => candidate.slug === slug);
  if (model === undefined) throw new Error(`no model ${slug}`);
  return (length) => {
    const text = make(length);
    const send = () => Promise.resolve({ status: 200, header: () => undefined, text });
    const context: AnswerContext = { upstream: { send }, signal: new AbortController().signal };
    return () => provider.answer.answer({ model, query: 'Is it open?' }, context).catch((error: unknown) => error);
  };
}

async function measure(readings: readonly NamedReading[]): Promise<Measured> {
  const measured: Record<string, { readings: number; problems: string[] }> = {};
  for (const [reader, name, reading] of readings) {
    measured[reader] ??= { readings: 0, problems: [] };
    measured[reader].readings += 1;
    const problem = await problemOf(reading);
    if (problem !== undefined) measured[reader].problems.push(`${name}: ${problem}`);
  }
  return measured;
}

const measured = await measure(process.argv[2] === 'providers' ? ofProviders() : ofFunctions());
process.stdout.write(JSON.stringify(measured));
