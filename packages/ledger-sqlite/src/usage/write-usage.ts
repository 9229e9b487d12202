import {
  addEntry,
  type LedgerEntry,
  MAX_TAGGED_ROWS,
  type UsageDimensions,
  usageDimensionsOf,
} from '@searchgate/core/ledger';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { addStored, noSums, rowOfSums, type StoredSums, SUM_COLUMNS, sumsOf } from './stored-sums.js';

/*
 * The sums of all time stand in one row for each organization, key, model, tag and list of budgets: a series. When an entry is the first one of a day, what they
 * were before it is written down as the opening of that day. So a charge changes the row of its series and that of its organization's day, and no sums of months
 * are needed.
 */

/** Adds entries to the sums of one transaction. */
export interface UsageWriter {
  add(entry: LedgerEntry): void;
  /** Writes what was added, each row once. */
  flush(): void;
}

/** What is to be added to a series on a day. */
interface Addition {
  readonly of: UsageDimensions;
  readonly sums: StoredSums;
}

/** A series as it is stored. */
interface Series {
  readonly id: bigint;
  readonly latestDay: number;
  readonly sums: StoredSums;
}

const COLUMNS = SUM_COLUMNS.join(', ');
const PLACES = SUM_COLUMNS.map(() => '?').join(', ');
const CHANGES = SUM_COLUMNS.map((column) => `${column} = ?`).join(', ');
const REPLACED = SUM_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ');

/** Numbers that add up to no more than 64 bits: 2^62 at most that is stored, and as much that is added. */
const ROOM = 2n ** 62n;
const ADDED = SUM_COLUMNS.map((column) => `${column} = ${column} + ?`).join(', ');
const HAS_ROOM = `max(charged, cached, upstream_cost, abs(adjusted), granted, lost) < ${ROOM}`;

const ADD_TO_LATEST = `UPDATE searchgate_usage SET ${ADDED}
  WHERE organization_id = ? AND key_id = ? AND model = ? AND tag = ? AND budgets = ? AND latest_day = ? AND ${HAS_ROOM}`;
const ADD_TO_DAY = `UPDATE searchgate_usage_by_day SET ${ADDED} WHERE day = ? AND organization_id = ? AND ${HAS_ROOM}`;
const FIND_SERIES = `SELECT series, latest_day, ${COLUMNS} FROM searchgate_usage
  WHERE organization_id = ? AND key_id = ? AND model = ? AND tag = ? AND budgets = ?`;
const INSERT_SERIES = `INSERT INTO searchgate_usage (organization_id, key_id, model, tag, budgets, latest_day, ${COLUMNS})
  VALUES (?, ?, ?, ?, ?, ?, ${PLACES})`;
const UPDATE_SERIES = `UPDATE searchgate_usage SET latest_day = ?, ${CHANGES} WHERE series = ?`;
const INSERT_OPENING = `INSERT INTO searchgate_usage_openings (series, day, ${COLUMNS}) VALUES (?, ?, ${PLACES})`;
const OPENINGS_SINCE = `SELECT day, ${COLUMNS} FROM searchgate_usage_openings WHERE series = ? AND day >= ? ORDER BY day`;
const UPDATE_OPENING = `UPDATE searchgate_usage_openings SET ${CHANGES} WHERE series = ? AND day = ?`;
const FIND_DAY = `SELECT ${COLUMNS} FROM searchgate_usage_by_day WHERE day = ? AND organization_id = ?`;
const WRITE_DAY = `INSERT INTO searchgate_usage_by_day (day, organization_id, ${COLUMNS}) VALUES (?, ?, ${PLACES})
  ON CONFLICT (day, organization_id) DO UPDATE SET ${REPLACED}`;
const COUNT_TAG = `INSERT INTO searchgate_usage_tags (organization_id, key_id, day, tagged) VALUES (?, ?, ?, 1)
  ON CONFLICT (organization_id, key_id) DO UPDATE
    SET tagged = CASE WHEN excluded.day > day THEN 1 ELSE tagged + 1 END, day = max(day, excluded.day)
    WHERE excluded.day > day OR tagged < ${MAX_TAGGED_ROWS}`;

export function createUsageWriter(connection: Connection): UsageWriter {
  const additions = new Map<string, Addition>();
  const days = new Map<string, Addition>();

  function additionOf(of: UsageDimensions): Addition {
    // Ids have no spaces, budgets and a tag no line ends.
    const name = `${of.day} ${of.organizationId} ${of.keyId} ${of.model}\n${of.budgets}\n${of.tag}`;
    let addition = additions.get(name);
    if (addition === undefined) {
      addition = { of, sums: noSums() };
      additions.set(name, addition);
    }
    return addition;
  }

  return {
    add(entry) {
      const of = usageDimensionsOf(entry);
      if (of === undefined) return;
      const { sums } = additionOf(of);
      sums.entries += 1;
      addEntry(sums, entry);
    },
    flush() {
      for (const addition of additions.values()) {
        addToSeries(connection, addition);
        const { day, organizationId } = addition.of;
        const ofDay = days.get(`${day} ${organizationId}`);
        if (ofDay === undefined) days.set(`${day} ${organizationId}`, { of: addition.of, sums: { ...addition.sums } });
        else addStored(ofDay.sums, addition.sums);
      }
      for (const addition of days.values()) addToDay(connection, addition);
      additions.clear();
      days.clear();
    },
  };
}

function addToSeries(connection: Connection, addition: Addition): void {
  const { of, sums } = addition;
  if (addToLatest(connection, addition)) return;
  const known = findSeries(connection, of);
  if (of.tag !== '' && (known === undefined || known.latestDay < of.day) && !hasRoomForTag(connection, of)) {
    addToSeries(connection, { of: { ...of, tag: '' }, sums });
    return;
  }
  if (known === undefined) {
    insertSeries(connection, addition);
    return;
  }
  if (known.latestDay < of.day) insertOpening(connection, known.id, { day: of.day, sums: known.sums });
  else if (known.latestDay > of.day) addBeforeLatest(connection, known.id, addition);
  const latestDay = BigInt(Math.max(known.latestDay, of.day));
  connection.statement(UPDATE_SERIES).run(latestDay, ...rowOfSums(addStored(known.sums, sums)), known.id);
}

/** What nearly every call comes to: not the first one of its series today. @returns false where it is something else, and nothing has changed. */
function addToLatest(connection: Connection, { of, sums }: Addition): boolean {
  if (!isSmall(sums)) return false;
  const { organizationId, keyId, model, tag, budgets, day } = of;
  const places = [organizationId, keyId, model, tag, budgets, BigInt(day)] as const;
  return connection.statement(ADD_TO_LATEST).run(...rowOfSums(sums), ...places) > 0;
}

function isSmall({ charged, cached, upstreamCost, adjusted, granted, lost }: StoredSums): boolean {
  const adjustment = adjusted < 0n ? -adjusted : adjusted;
  return [charged, cached, upstreamCost, adjustment, granted, lost].every((amount) => amount <= ROOM);
}

function findSeries(
  connection: Connection,
  { organizationId, keyId, model, tag, budgets }: UsageDimensions,
): Series | undefined {
  const row = connection.tuples<readonly bigint[]>(FIND_SERIES).get(organizationId, keyId, model, tag, budgets);
  return row && { id: row[0] as bigint, latestDay: Number(row[1]), sums: sumsOf(row, 2) };
}

function insertSeries(connection: Connection, { of, sums }: Addition): void {
  const names = [of.organizationId, of.keyId, of.model, of.tag, of.budgets];
  connection.statement(INSERT_SERIES).run(...names, BigInt(of.day), ...rowOfSums(sums));
  const { id } = findSeries(connection, of) as Series;
  insertOpening(connection, id, { day: of.day, sums: noSums() });
}

interface Opening {
  readonly day: number;
  readonly sums: StoredSums;
}

function insertOpening(connection: Connection, id: bigint, { day, sums }: Opening): void {
  connection.statement(INSERT_OPENING).run(id, BigInt(day), ...rowOfSums(sums));
}

/** For a day before the latest one, because a clock was set back or the log is summed up after the fact: the days behind it open with more. */
function addBeforeLatest(connection: Connection, id: bigint, { of, sums }: Addition): void {
  const rows = connection.tuples<readonly [day: bigint, ...SqliteValue[]]>(OPENINGS_SINCE).all(id, BigInt(of.day));
  const openings = rows.map((row): Opening => ({ day: Number(row[0]), sums: sumsOf(row, 1) }));
  const [next] = openings;
  if (next !== undefined && next.day > of.day) insertOpening(connection, id, { day: of.day, sums: next.sums });
  for (const opening of openings) {
    if (opening.day === of.day) continue;
    connection.statement(UPDATE_OPENING).run(...rowOfSums(addStored(opening.sums, sums)), id, BigInt(opening.day));
  }
}

/** Takes one of the rows with a tag that a key may have on a day. */
function hasRoomForTag(connection: Connection, { organizationId, keyId, day }: UsageDimensions): boolean {
  return connection.statement(COUNT_TAG).run(organizationId, keyId, BigInt(day)) > 0;
}

function addToDay(connection: Connection, { of: { organizationId, day }, sums }: Addition): void {
  const place = [BigInt(day), organizationId] as const;
  if (isSmall(sums) && connection.statement(ADD_TO_DAY).run(...rowOfSums(sums), ...place) > 0) return;
  const row = connection.tuples<readonly bigint[]>(FIND_DAY).get(...place);
  const total = row === undefined ? sums : addStored(sumsOf(row), sums);
  connection.statement(WRITE_DAY).run(...place, ...rowOfSums(total));
}
