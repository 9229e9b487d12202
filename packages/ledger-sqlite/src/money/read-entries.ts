import {
  type CheckedEntryQuery,
  type EntryPage,
  type EntryQuery,
  entryOf,
  LedgerError,
  type StoredEntry,
} from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { nextTurn } from '../engine/next-turn.js';
import { type Placed, type ReadPlaced, readEntriesWhere } from './entry-rows.js';

const CURSOR = /^\d{1,15}$/;
/** How many entries of a key are read in one go where only those of one organization are wanted: as a rule all of them or none. */
const SLICE = 250;

const LAST = 'SELECT max(seq) AS seq FROM searchgate_entries';
const NEXT_SETBACK = 'SELECT min(seq) AS seq FROM searchgate_clock_setbacks WHERE seq > ?';
const FIRST_AT = 'SELECT seq, at_ms FROM searchgate_entries WHERE seq >= ? ORDER BY seq LIMIT 1';
const PLACES = 'seq BETWEEN ? AND ? ORDER BY seq LIMIT ?';
const READ_ALL = readEntriesWhere(PLACES);
const READ_OF_ORGANIZATION = readEntriesWhere(`organization_id = ? AND ${PLACES}`);
const READ_OF_KEY = readEntriesWhere(`key_id = ? AND ${PLACES}`);

/** Places of the log, both included; none where `first` is behind `last`. */
interface Places {
  readonly first: bigint;
  readonly last: bigint;
}

/** Null where there is none. */
interface SeqRow {
  readonly seq: bigint | null;
}

/** What was found in one go, and where to go on. */
interface Slice {
  readonly rows: readonly Placed<StoredEntry>[];
  readonly next: bigint;
}

/**
 * The first `limit` entries of a query from its cursor on. A cursor is the place of the entry a page begins with.
 *
 * Pages go by place in the log. From one place to the next times never fall, but where a clock was set back, and those places are known. So the log
 * is read from one of them to the next, in each from the first place of the times asked for to the last, a slice in each turn of the event loop.
 */
export async function readEntries({ read }: Access, query: CheckedEntryQuery): Promise<EntryPage> {
  const { limit } = query;
  const rows: Placed<StoredEntry>[] = [];
  const places = await read((connection) => placesFrom(connection, query.cursor));
  const { last } = places;
  for (let { first } = places; first <= last && rows.length <= limit; ) {
    const left = { places: { first, last }, most: limit + 1 - rows.length };
    const slice = await read((connection) => readSlice(connection, query, left));
    rows.push(...slice.rows);
    first = slice.next;
    await nextTurn();
  }
  const next = rows[limit];
  const entries = rows.slice(0, limit).map(({ entry }) => entryOf(entry));
  return { entries, nextCursor: next === undefined ? null : String(next.seq) };
}

/** From the cursor to the present end of the log. @throws LedgerError `invalid_cursor`. */
function placesFrom(connection: Connection, cursor: string | undefined): Places {
  return { first: cursor === undefined ? 1n : placeOf(connection, cursor), last: lastPlace(connection) };
}

/** The place a cursor stands for, of which the entry may have been removed. @throws LedgerError `invalid_cursor`. */
export function placeOf(connection: Connection, cursor: string): bigint {
  const place = CURSOR.test(cursor) ? BigInt(cursor) : 0n;
  if (place >= 1n && place <= lastPlace(connection)) return place;
  throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this ledger');
}

function lastPlace(connection: Connection): bigint {
  return connection.statement<SeqRow>(LAST).get()?.seq ?? 0n;
}

function readSlice(
  connection: Connection,
  query: EntryQuery,
  { places, most }: { readonly places: Places; readonly most: number },
): Slice {
  const { organizationId, keyId, fromMs, toMs } = query;
  const rising = fromMs === undefined && toMs === undefined ? places : risingPlaces(connection, places);
  const first = fromMs === undefined ? rising.first : firstSince(connection, rising, fromMs);
  const last = toMs === undefined ? rising.last : firstSince(connection, { ...rising, first }, toMs) - 1n;
  const count = BigInt(organizationId !== undefined && keyId !== undefined ? Math.max(most, SLICE) : most);
  const [readRows, ...owner] = searchBy(query);
  const rows = readRows(connection, ...owner, first, last, count);
  const wanted = rows.filter(({ entry }) => organizationId === undefined || entry.organizationId === organizationId);
  return { rows: wanted, next: nextPlace(rows, count, rising) };
}

/** The statement, and its owner. A key is rarely used by more than one organization. */
function searchBy({ organizationId, keyId }: EntryQuery): [ReadPlaced<StoredEntry>, ...owner: string[]] {
  if (keyId !== undefined) return [READ_OF_KEY, keyId];
  return organizationId === undefined ? [READ_ALL] : [READ_OF_ORGANIZATION, organizationId];
}

/** Behind the last row, or, where there are no more, behind the places that were looked at. */
function nextPlace(rows: readonly Pick<Placed<unknown>, 'seq'>[], count: bigint, { last }: Places): bigint {
  const lastRow = BigInt(rows.length) === count ? rows.at(-1) : undefined;
  return (lastRow?.seq ?? last) + 1n;
}

/** The first of these places, up to where the clock was set back next. */
function risingPlaces(connection: Connection, { first, last }: Places): Places {
  const setback = connection.statement<SeqRow>(NEXT_SETBACK).get(first)?.seq ?? null;
  return { first, last: setback !== null && setback <= last ? setback - 1n : last };
}

/** The first of places with rising times whose entry was written at `timeMs` or later; the one behind the last where none was. */
function firstSince(connection: Connection, { first, last }: Places, timeMs: number): bigint {
  const statement = connection.statement<{ readonly seq: bigint; readonly at_ms: bigint }>(FIRST_AT);
  let low = first;
  let high = last + 1n;
  while (low < high) {
    const middle = (low + high) / 2n;
    const entry = statement.get(middle);
    if (entry !== undefined && entry.seq < high && entry.at_ms < BigInt(timeMs)) low = entry.seq + 1n;
    else high = middle;
  }
  return low;
}
