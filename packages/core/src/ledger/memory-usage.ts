import { dateOfDay, monthOfDay } from '../time/days.js';
import type { CheckedUsageQuery } from './create-ledger.js';
import type { LedgerEntry } from './ledger-entry.js';
import {
  addEntry,
  addSums,
  MAX_TAGGED_ROWS,
  type MutableSums,
  noUsage,
  splitDays,
  type UsageDimensions,
  type UsageRow,
  usageDimensionsOf,
} from './usage.js';
import { usagePage } from './usage-page.js';

/** The sums of a ledger that lives in memory. */
export interface MemoryUsage {
  add(entry: LedgerEntry): void;
  read(query: CheckedUsageQuery): readonly UsageRow[];
}

interface Cell extends Omit<UsageDimensions, 'day'> {
  /** A day or a month. */
  readonly period: number;
  readonly sums: MutableSums;
}

/** Sums of one day. Each knows the sums of its month and those of its organization on that day, which grow with it. */
interface DayCell extends Cell {
  readonly month: Cell;
  readonly ofOrganization: Cell;
}

/** Most sums by day that are remembered. Those of the oldest days go first; the sums by month, and by day and organization, stay. */
const MAX_DAY_CELLS = 500_000;

/**
 * Keeps sums by day, organization, key, model and tag; the same by month; and by day and organization. So a statement over years reads months and the days at
 * its edges, and one by day need not read the sums of every key.
 */
export function createMemoryUsage(maxDayCells: number = MAX_DAY_CELLS): MemoryUsage {
  const days = new Map<number, Map<string, DayCell>>();
  const months = new Map<string, Cell>();
  const organizationDays = new Map<string, Cell>();
  const hasRoomForTag = countTagged();
  const cellOf = rememberingLatest(findCell);
  let dayCells = 0;

  function findCell(of: UsageDimensions): DayCell {
    const cells = inMap(days, of.day, () => new Map<string, DayCell>());
    const found = cells.get(nameOf(of));
    if (found !== undefined) return found;
    if (of.tag !== '' && !hasRoomForTag(of)) return findCell({ ...of, tag: '' });
    const cell = newDayCell(of);
    cells.set(nameOf(of), cell);
    dayCells += 1;
    if (dayCells > maxDayCells) forgetOldestDay(of.day);
    return cell;
  }

  function newDayCell(of: UsageDimensions): DayCell {
    const { day, organizationId, keyId, model, tag } = of;
    const monthNumber = monthOfDay(day);
    const month = inMap(months, `${monthNumber} ${nameOf(of)}`, () => newCell(of, monthNumber));
    const ofOrganization = inMap(organizationDays, `${day} ${organizationId}`, () =>
      newCell({ organizationId, keyId: '', model: '', tag: '' }, day),
    );
    return { organizationId, keyId, model, tag, period: day, sums: noUsage(), month, ofOrganization };
  }

  function forgetOldestDay(present: number): void {
    const oldest = Math.min(...days.keys());
    if (oldest === present) return;
    dayCells -= days.get(oldest)?.size ?? 0;
    days.delete(oldest);
  }

  function* cellsOf({ by, keyId, fromDay, toDay }: CheckedUsageQuery): Generator<Cell> {
    if (by === 'day') {
      const isOfKey = keyId !== undefined;
      const within = ({ period }: Cell) => period >= (fromDay ?? 0) && period < (toDay ?? Infinity);
      if (!isOfKey) yield* [...organizationDays.values()].filter(within);
      else for (const cells of days.values()) yield* [...cells.values()].filter(within);
      return;
    }
    const split = splitDays(fromDay, toDay);
    for (const cell of months.values()) {
      if (cell.period >= split.months.from && cell.period < split.months.to) yield cell;
    }
    for (const { from, to } of split.days) {
      for (let day = from; day < to; day += 1) yield* days.get(day)?.values() ?? [];
    }
  }

  return {
    add(entry) {
      const of = usageDimensionsOf(entry);
      if (of === undefined) return;
      const { sums, month, ofOrganization } = cellOf(of);
      addEntry(sums, entry);
      addEntry(month.sums, entry);
      addEntry(ofOrganization.sums, entry);
    },
    read(query) {
      const { organizationId, keyId } = query;
      const groups = new Map<string, MutableSums>();
      for (const cell of cellsOf(query)) {
        if (organizationId !== undefined && cell.organizationId !== organizationId) continue;
        if (keyId !== undefined && cell.keyId !== keyId) continue;
        addSums(inMap(groups, groupOf(query.by, cell), noUsage), cell.sums);
      }
      return usagePage(groups, query);
    },
  };
}

/** Counts the cells with a tag of each key on its latest day. @returns a function that says whether one more is kept. */
function countTagged(): (of: UsageDimensions) => boolean {
  const counts = new Map<string, { day: number; cells: number }>();
  return ({ organizationId, keyId, day }) => {
    const count = inMap(counts, `${organizationId} ${keyId}`, () => ({ day, cells: 0 }));
    if (count.day !== day) Object.assign(count, { day, cells: 0 });
    if (count.cells === MAX_TAGGED_ROWS) return false;
    count.cells += 1;
    return true;
  };
}

function nameOf({ organizationId, keyId, model, tag }: Omit<UsageDimensions, 'day'>): string {
  // Ids have no spaces, and neither text has a line end.
  return `${organizationId} ${keyId} ${model}\n${tag}`;
}

/** Knows the cell that each key used last: most calls of a key are for the model of the one before, and names are long to put together. */
function rememberingLatest(find: (of: UsageDimensions) => DayCell): (of: UsageDimensions) => DayCell {
  const latest = new Map<string, DayCell>();
  return (of) => {
    const known = latest.get(of.keyId);
    if (known !== undefined && isOf(known, of)) return known;
    const cell = find(of);
    latest.set(of.keyId, cell);
    return cell;
  };
}

function isOf(cell: DayCell, { organizationId, model, tag, day }: UsageDimensions): boolean {
  return cell.period === day && cell.model === model && cell.tag === tag && cell.organizationId === organizationId;
}

function newCell({ organizationId, keyId, model, tag }: Omit<UsageDimensions, 'day'>, period: number): Cell {
  return { organizationId, keyId, model, tag, period, sums: noUsage() };
}

function groupOf(by: CheckedUsageQuery['by'], cell: Cell): string {
  switch (by) {
    case 'organization':
      return cell.organizationId;
    case 'key':
      return cell.keyId;
    case 'model':
      return cell.model;
    case 'tag':
      return cell.tag;
    case 'day':
      return dateOfDay(cell.period);
  }
}

function inMap<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
