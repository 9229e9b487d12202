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

interface Cell {
  readonly organizationId: string;
  readonly keyId: string;
  readonly model: string;
  readonly tag: string;
  /** A day or a month. */
  readonly period: number;
  readonly sums: MutableSums;
}

/** Sums of one day. Each knows the sums of its month and those of its organization on that day, which grow with it. */
interface DayCell extends Cell {
  readonly month: Cell;
  readonly ofOrganization: Cell;
}

/** What a key has used: by day and by month, in each by model and tag. */
interface KeyUsage {
  readonly days: Map<number, KeyDay>;
  readonly months: Map<string, Cell>;
  /** What was used last: most calls of a key are for the model of the one before, and a name takes long to put together. */
  latest: DayCell | undefined;
}

interface KeyDay {
  readonly cells: Map<string, DayCell>;
  /** How many of them have a tag. */
  tagged: number;
}

/** What an organization has used: of each of its keys, and on each day in all. */
interface OrganizationUsage {
  readonly keys: Map<string, KeyUsage>;
  readonly days: Map<number, Cell>;
}

/** Most sums by day that are remembered. Those of the oldest days go first; the sums by month, and by day and organization, stay. */
const MAX_DAY_CELLS = 500_000;

/**
 * Keeps sums by day, organization, key, model and tag; the same by month; and by day and organization. So a statement over years reads months and the days at
 * its edges, and one by day need not read the sums of every key. What is asked about one key, as callers do, costs nothing for the others.
 */
export function createMemoryUsage(maxDayCells: number = MAX_DAY_CELLS): MemoryUsage {
  const organizations = new Map<string, OrganizationUsage>();
  /** How many sums there are of each day. */
  const cellsOnDay = new Map<number, number>();
  let dayCells = 0;

  function cellOf(of: UsageDimensions): DayCell {
    const organization = inMap(organizations, of.organizationId, newOrganization);
    const key = inMap(organization.keys, of.keyId, newKey);
    if (key.latest === undefined || !isOf(key.latest, of)) key.latest = findCell(organization, key, of);
    return key.latest;
  }

  function findCell(organization: OrganizationUsage, key: KeyUsage, of: UsageDimensions): DayCell {
    const day = inMap(key.days, of.day, newKeyDay);
    const name = nameOf(of);
    const found = day.cells.get(name);
    if (found !== undefined) return found;
    if (of.tag !== '') {
      if (day.tagged === MAX_TAGGED_ROWS) return findCell(organization, key, { ...of, tag: '' });
      day.tagged += 1;
    }
    const cell = newDayCell(organization, key, of);
    day.cells.set(name, cell);
    dayCells += 1;
    cellsOnDay.set(of.day, (cellsOnDay.get(of.day) ?? 0) + 1);
    if (dayCells > maxDayCells) forgetOldestDay(of.day);
    return cell;
  }

  function forgetOldestDay(present: number): void {
    const oldest = Math.min(...cellsOnDay.keys());
    if (oldest === present) return;
    for (const { keys } of organizations.values()) {
      for (const key of keys.values()) {
        key.days.delete(oldest);
        if (key.latest?.period === oldest) key.latest = undefined;
      }
    }
    dayCells -= cellsOnDay.get(oldest) ?? 0;
    cellsOnDay.delete(oldest);
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
      const groups = new Map<string, MutableSums>();
      for (const organization of selected(organizations, query.organizationId)) {
        for (const cell of cellsOf(organization, query)) {
          addSums(inMap(groups, groupOf(query.by, cell), noUsage), cell.sums);
        }
      }
      return usagePage(groups, query);
    },
  };
}

/** The sums of an organization that a query is about. */
function* cellsOf({ keys, days }: OrganizationUsage, query: CheckedUsageQuery): Generator<Cell> {
  const { by, keyId, fromDay = 0, toDay = Number.POSITIVE_INFINITY } = query;
  const isAsked = (day: number) => day >= fromDay && day < toDay;
  if (by === 'day' && keyId === undefined) {
    for (const [day, cell] of days) if (isAsked(day)) yield cell;
    return;
  }
  const split = splitDays(query.fromDay, query.toDay);
  for (const key of selected(keys, keyId)) {
    if (by === 'day') {
      for (const [day, { cells }] of key.days) if (isAsked(day)) yield* cells.values();
      continue;
    }
    for (const cell of key.months.values()) {
      if (cell.period >= split.months.from && cell.period < split.months.to) yield cell;
    }
    for (const { from, to } of split.days) {
      for (let day = from; day < to; day += 1) yield* key.days.get(day)?.cells.values() ?? [];
    }
  }
}

/** That of this id, or all. */
function selected<Value>(map: ReadonlyMap<string, Value>, id: string | undefined): Iterable<Value> {
  if (id === undefined) return map.values();
  const value = map.get(id);
  return value === undefined ? [] : [value];
}

function newDayCell({ days }: OrganizationUsage, { months }: KeyUsage, of: UsageDimensions): DayCell {
  const { day, organizationId, keyId, model, tag } = of;
  const monthNumber = monthOfDay(day);
  const owner = { organizationId, keyId, model, tag };
  const month = inMap(months, `${monthNumber} ${nameOf(of)}`, () => newCell(owner, monthNumber));
  const ofOrganization = inMap(days, day, () => newCell({ organizationId, keyId: '', model: '', tag: '' }, day));
  return { ...newCell(owner, day), month, ofOrganization };
}

function newCell(owner: Omit<Cell, 'period' | 'sums'>, period: number): Cell {
  return { ...owner, period, sums: noUsage() };
}

function newOrganization(): OrganizationUsage {
  return { keys: new Map(), days: new Map() };
}

function newKey(): KeyUsage {
  return { days: new Map(), months: new Map(), latest: undefined };
}

function newKeyDay(): KeyDay {
  return { cells: new Map(), tagged: 0 };
}

/** Of what one key has used in a period. No tag has a line end. */
function nameOf({ model, tag }: UsageDimensions): string {
  return `${tag}\n${model}`;
}

function isOf({ period, model, tag }: DayCell, of: UsageDimensions): boolean {
  return period === of.day && model === of.model && tag === of.tag;
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
