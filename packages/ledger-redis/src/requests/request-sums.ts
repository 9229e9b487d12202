import { randomUUID } from 'node:crypto';
import {
  addText,
  collectStatistics,
  LedgerError,
  type LoggedRequest,
  type Packed,
  type PackedSums,
  type PruneLimits,
  packedOf,
  STEPS_MS,
  type StatisticsQuery,
  type StatisticsRow,
  type StatisticsStep,
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
    Array.from(hours).flatMap(([name, { cost, counts }]) => {
      const [of, span, ...group] = name.split('\n');
      const atMs = Math.floor(Number(span) / STEPS_MS[step]) * STEPS_MS[step];
      const [count, rescued, ...durations] = counts;
      const places = durations.flatMap((counted, place) => (counted === 0 ? [] : [place, counted]));
      return [[`${placeOf(step, atMs)} ${of}`, ...group].join('\n'), [cost, count, rescued, ...places].join(' ')];
    }),
  );
}

/** The names behind it are of this time or later. */
function placeOf(step: StatisticsStep, atMs: number): string {
  return `${CODES[step]} ${`${Math.max(0, Math.ceil(atMs))}`.padStart(16, '0')}`;
}

/** The sums of a reply: names, each with its sums behind it. */
function sumsIn(reply: readonly string[]): PackedSums {
  const sums: PackedSums = new Map();
  for (let at = 0; at < reply.length; at += 2) {
    const [first = '', ...group] = reply[at]?.split('\n') ?? [];
    const [, atMs, of = ''] = first.split(' ');
    const [cost = '0', ...counts] = reply[at + 1]?.split(' ') ?? [];
    sums.set([of, `${Number(atMs)}`, ...group].join('\n'), { cost: BigInt(cost), counts: counts.map(Number) });
  }
  return sums;
}

/** The first names that stay. */
export function placesOf({ hour, day }: PruneLimits['sumsBeforeMs']): readonly string[] {
  return [placeOf('hour', hour), placeOf('day', day)];
}

/** The sums that are merged, and those that are not. @throws LedgerError `ledger_timeout` where other processes merged them during every try: some calls would count twice. */
export async function readSums({ run }: Scripts, query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
  const { of, step, sinceMs, untilMs, organizations = [] } = query;
  const to = placeOf(step, untilMs);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const statistics = collectStatistics(query);
    const waiting: PackedSums = new Map();
    const texts = await readTexts({ run }, waiting);
    statistics.add(waiting);
    // Of all sums, few are of a query.
    for (let from = placeOf(step, sinceMs); from !== ''; ) {
      const [last = '', ...found] = await run(LIST_SUMS, [from, to, `${AT_ONCE}`, of, ...organizations]);
      statistics.add(sumsIn(found));
      from = last;
    }
    // Those in front are taken, so the last one is no longer at its place.
    const [last] = await run(LIST_TEXTS, [`${texts.length}`, `${texts.length}`]);
    if (last === (texts.at(-1) ?? '')) return statistics.rows();
  }
  throw new LedgerError('ledger_timeout', 'sums of calls were merged whenever they were read: ask again');
}

/** Looks through all sums. */
export async function eraseSums({ run }: Scripts, organizationId: string): Promise<void> {
  await mergeSums({ run });
  let from = placeOf('hour', 0);
  while (from !== '') [from = ''] = await run(ERASE_SUMS, [organizationId, from, `${AT_ONCE}`]);
}
