import { randomUUID } from 'node:crypto';
import {
  addText,
  addTo,
  entriesOf,
  fitsStatistics,
  type LoggedRequest,
  largestOf,
  type Packed,
  type PackedSums,
  type PruneLimits,
  packedOf,
  type StatisticsEntry,
  type StatisticsField,
  type StatisticsQuery,
  type StatisticsRow,
  type StatisticsStep,
  type SumsByName,
  slicesOf,
  textOfSums,
} from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import { ERASE_SUMS, LIST_SUMS, LIST_TEXTS, MERGE_TEXT, REPLACE_TEXTS } from '../scripts/request-scripts.js';

/** How many sums one script looks at: about a millisecond in which Redis serves no one else. */
const AT_ONCE = 500;
const CODES = { minute: '0', hour: '1', day: '2' } as const satisfies Record<StatisticsStep, string>;

/** How many texts are merged: each is of a batch, which has at most 100 calls of a gateway. */
const MANY_TEXTS = 100;
/** How many texts are read, and how many sums of hours are merged, by one script. */
const TEXTS_AT_ONCE = 10;
const MERGED_AT_ONCE = 40;
/** How often sums are read again because some were merged meanwhile. */
const MAX_TRIES = 5;

/** The first values of a script that appends calls. */
export function sumsOf(rows: readonly LoggedRequest[]): readonly string[] {
  return [`${MANY_TEXTS}`, textOf(packedOf(rows, 'hour'))];
}

function textOf(sums: Iterable<[string, Packed]>): string {
  return `${randomUUID()}\n${textOfSums(sums)}`;
}

/** Merges all sums of batches. What a process that ends leaves, the next one merges. */
export async function mergeSums({ run }: Scripts): Promise<void> {
  for (let isDone = false; !isDone; ) {
    const hours: PackedSums = new Map();
    const texts = await readTexts({ run }, hours);
    const parts = slicesOf([...hours], MERGED_AT_ONCE).map(textOf);
    const [first = '', last = ''] = [texts[0], texts.at(-1)];
    isDone = texts.length === 0 || (await run(REPLACE_TEXTS, [`${texts.length}`, first, last, ...parts])).length > 0;
    if (isDone) for (const part of parts) await run(MERGE_TEXT, [part, ...namesOf(part)]);
  }
}

/** @returns all texts, the oldest first. */
async function readTexts({ run }: Scripts, sums: PackedSums): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let read = TEXTS_AT_ONCE; read === TEXTS_AT_ONCE; ) {
    const found = await run(LIST_TEXTS, [`${texts.length + 1}`, `${texts.length + TEXTS_AT_ONCE}`]);
    for (const text of found) addText(sums, jsonOf(text));
    texts.push(...found);
    read = found.length;
  }
  return texts;
}

const jsonOf = (text: string) => text.slice(text.indexOf('\n') + 1);

/** Name and sums of each group of a text. */
function namesOf(part: string): readonly string[] {
  const hours: PackedSums = new Map();
  addText(hours, jsonOf(part));
  return (['hour', 'day'] as const).flatMap((step) =>
    entriesOf(hours, step).flatMap((entry) => {
      const { of, atMs, endpoint, organizationId, model, provider, outcome, ...sums } = entry;
      const group = [of, organizationId, endpoint, model, provider, outcome];
      const durations = sums.durations.flatMap((count, place) => (count === 0 ? [] : [place, count]));
      const counts = [sums.cost, sums.count, sums.rescued, ...durations];
      return [`${placeOf(step, atMs)} ${group.join('\n')}`, counts.join(' ')];
    }),
  );
}

/** The names behind it are of this time or later. */
function placeOf(step: StatisticsStep, atMs: number): string {
  return `${CODES[step]} ${`${Math.max(0, Math.ceil(atMs))}`.padStart(16, '0')}`;
}

function entryOf(name: string, sums: string): StatisticsEntry {
  const [first = '', organizationId = '', endpoint = '', model = '', provider = '', outcome = ''] = name.split('\n');
  const [code, atMs, of] = first.split(' ');
  const [cost = '0', ...counts] = sums.split(' ');
  const [count = 0, rescued = 0, ...durations] = counts.map(Number);
  return {
    of: of === 'calls' ? 'calls' : 'attempts',
    step: code === CODES.hour ? 'hour' : 'day',
    atMs: Number(atMs),
    organizationId,
    endpoint,
    model,
    provider,
    outcome,
    count,
    cost: BigInt(cost),
    rescued,
    durations,
  };
}

/** The first names that stay. */
export function placesOf({ hour, day }: PruneLimits['sumsBeforeMs']): readonly string[] {
  return [placeOf('hour', hour), placeOf('day', day)];
}

/** The sums that are merged, and those that are not. */
export async function readSums({ run }: Scripts, query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
  for (let tries = 1; ; tries += 1) {
    const sums: SumsByName<StatisticsField> = new Map();
    const add = (entries: readonly StatisticsEntry[]) => {
      const fitting = entries.filter((entry) => fitsStatistics(entry, query));
      addTo(sums, fitting, query.by);
    };
    const waiting: PackedSums = new Map();
    const texts = await readTexts({ run }, waiting);
    add(entriesOf(waiting, query.step));
    await readMerged({ run }, query, add);
    // Those in front are taken, so the last one is no longer at its place.
    const [last] = await run(LIST_TEXTS, [`${texts.length}`, `${texts.length}`]);
    if (last === (texts.at(-1) ?? '') || tries === MAX_TRIES) return largestOf(sums.values());
  }
}

/** Reads slices: of all sums, few are of a query. */
async function readMerged(
  { run }: Scripts,
  query: StatisticsQuery,
  add: (entries: readonly StatisticsEntry[]) => void,
) {
  const { of, step, sinceMs, untilMs, organizations = [] } = query;
  const to = placeOf(step, untilMs);
  let from = placeOf(step, sinceMs);
  while (from !== '') {
    const [last = '', ...found] = await run(LIST_SUMS, [from, to, `${AT_ONCE}`, of, ...organizations]);
    add(found.flatMap((name, at) => (at % 2 === 0 ? [entryOf(name, found[at + 1] ?? '')] : [])));
    from = last;
  }
}

/** Looks through all sums. */
export async function eraseSums({ run }: Scripts, organizationId: string): Promise<void> {
  await mergeSums({ run });
  let from = placeOf('hour', 0);
  while (from !== '') [from = ''] = await run(ERASE_SUMS, [organizationId, from, `${AT_ONCE}`]);
}
