import { dateOfDay } from '../base/time/days.js';
import type { CheckedUsageQuery } from './create-ledger.js';
import type { LedgerEntry } from './ledger-entry.js';
import {
  MAX_TAGGED_ROWS,
  type MutableSums,
  type Span,
  type UsageDimensions,
  type UsageGroup,
  type UsageRow,
  type UsageSums,
  usageDimensionsOf,
} from './usage.js';
import { addToGroup, usagePage } from './usage-page.js';
import {
  addOnDay,
  copyOfSeries,
  forgetDay,
  hasDay,
  latestDay,
  newSeries,
  sumsBetween,
  sumsByDay,
  type UsageSeries,
} from './usage-series.js';

/** The usage of a key by organization, model and tag. */
interface KeyUsage {
  series: UsageSeries[];
  /** The same series by name, if there are more than {@link FEW_SERIES}. */
  byName: Map<string, UsageSeries> | undefined;
  latestDay: number;
  /** The number of series with a tag that have an entry on `latestDay`. */
  tagged: number;
}

/** Searching up to this many series is faster than building a name. */
const FEW_SERIES = 8;

function newKeyUsage(): KeyUsage {
  return { series: [], byName: undefined, latestDay: 0, tagged: 0 };
}

function findSeries({ series, byName }: KeyUsage, of: UsageDimensions): UsageSeries | undefined {
  return byName === undefined ? series.find((one) => isOf(one, of)) : byName.get(nameOf(of));
}

function addToKey(key: KeyUsage, series: UsageSeries): void {
  // An array literal has capacity for one element, enough for very many keys; a pushed array gets capacity for 17.
  if (key.series.length === 0) key.series = [series];
  else key.series.push(series);
  if (key.series.length > FEW_SERIES) key.byName ??= new Map(key.series.map((one) => [nameOf(one), one]));
  key.byName?.set(nameOf(series), series);
}

/** The number of series with a tag that a key has on a day. Counts them only after the clock was set back. */
function taggedOn(key: KeyUsage, day: number): number {
  if (day > key.latestDay) {
    key.latestDay = day;
    key.tagged = 0;
  }
  if (day === key.latestDay) return key.tagged;
  return key.series.filter((series) => series.tag !== '' && hasDay(series, day)).length;
}

/** The name of a series within a key. Ids have no spaces, and tags no line ends. */
function nameOf({ organizationId, model, tag }: Omit<UsageDimensions, 'day'>): string {
  return `${organizationId} ${tag}\n${model}`;
}

function isOf(series: UsageSeries, { organizationId, model, tag }: UsageDimensions): boolean {
  return series.model === model && series.tag === tag && series.organizationId === organizationId;
}

/** Whether the series is the series of an entry and has its day open, so that no other series has to be considered. */
function isLatest(series: UsageSeries, of: UsageDimensions): boolean {
  return latestDay(series) === of.day && isOf(series, of);
}

/** The usage sums of a memory ledger. */
export interface MemoryUsage {
  /** Adds an entry. @param key the counters of the entry's key, if at hand. */
  add(entry: LedgerEntry, key?: RecentSeries): void;
  read(query: CheckedUsageQuery): readonly UsageRow[];
}

/** The series that a key used last. Most calls of a key use the model of the call before, and so need no look-up. */
export interface RecentSeries {
  recent: UsageSeries | undefined;
}

/** The usage of an organization: in total, without a key, and by its keys. */
interface OrganizationUsage {
  /** The same object as `keyless` until a key has usage. */
  whole: UsageSeries;
  readonly keyless: UsageSeries;
  /** `undefined` before the first usage of a key: very many organizations only have grants. */
  ofKeys: UsageSeries[] | undefined;
}

type GroupOfSeries = Exclude<UsageGroup, 'day'>;

/** Most openings of series of keys that are remembered by day. The oldest days are forgotten first; the first opening of each month stays. */
const MAX_OPENINGS = 500_000;

/**
 * Keeps a series for each combination of organization, key, model and tag, and a series for each organization. So the cost of a statement does not depend on
 * the number of days, a statement by day does not read the series of every key, and a statement of a single key, as callers ask for, reads only that key.
 */
export function createMemoryUsage(maxOpenings: number = MAX_OPENINGS): MemoryUsage {
  const organizations = new Map<string, OrganizationUsage>();
  const keys = new Map<string, KeyUsage>();
  /** The series with an opening on each day. */
  const openedOn = new Map<number, UsageSeries[]>();
  let openings = 0;

  /** The series for an entry of a key. Drops the tag if the key already has {@link MAX_TAGGED_ROWS} tagged series on that day. */
  function seriesOf(of: UsageDimensions): UsageSeries {
    const key = inMap(keys, of.keyId, newKeyUsage);
    const known = findSeries(key, of);
    if (of.tag !== '' && (known === undefined || !hasDay(known, of.day))) {
      if (taggedOn(key, of.day) >= MAX_TAGGED_ROWS) return seriesOf({ ...of, tag: '' });
      if (of.day === key.latestDay) key.tagged += 1;
    }
    return known ?? addSeries(key, of);
  }

  function addSeries(key: KeyUsage, of: UsageDimensions): UsageSeries {
    const organization = inMap(organizations, of.organizationId, newOrganization);
    if (organization.whole === organization.keyless) organization.whole = copyOfSeries(organization.keyless);
    const series = newSeries(of, organization.whole);
    // As in `addToKey`.
    if (organization.ofKeys === undefined) organization.ofKeys = [series];
    else organization.ofKeys.push(series);
    addToKey(key, series);
    return series;
  }

  function noteOpening(series: UsageSeries, day: number): void {
    inMap(openedOn, day, noSeries).push(series);
    openings += 1;
    if (openings > maxOpenings) forgetOldestDay(day);
  }

  function forgetOldestDay(present: number): void {
    let oldest = present;
    for (const day of openedOn.keys()) oldest = Math.min(oldest, day);
    if (oldest === present) return;
    const opened = openedOn.get(oldest) ?? [];
    for (const series of opened) forgetDay(series, oldest);
    openings -= opened.length;
    openedOn.delete(oldest);
  }

  function addKeyless({ organizationId, day }: UsageDimensions, entry: LedgerEntry): void {
    const { whole, keyless } = inMap(organizations, organizationId, newOrganization);
    addOnDay(keyless, day, entry);
    if (whole !== keyless) addOnDay(whole, day, entry);
  }

  function addOfKey(series: UsageSeries, day: number, entry: LedgerEntry): void {
    if (series.whole !== undefined) addOnDay(series.whole, day, entry);
    if (addOnDay(series, day, entry)) noteOpening(series, day);
  }

  return {
    add(entry, key) {
      const of = usageDimensionsOf(entry);
      if (of === undefined) return;
      if (of.keyId === '') addKeyless(of, entry);
      else if (key === undefined) addOfKey(seriesOf(of), of.day, entry);
      else {
        if (key.recent === undefined || !isLatest(key.recent, of)) key.recent = seriesOf(of);
        addOfKey(key.recent, of.day, entry);
      }
    },
    read(query) {
      const { by, fromDay: from = 0, toDay: to = Number.POSITIVE_INFINITY } = query;
      const asked = askedSeries({ organizations, keys }, query);
      return usagePage(by === 'day' ? sumsOfDays(asked, { from, to }) : sumsOfGroups(asked, by, { from, to }), query);
    },
  };
}

function sumsOfGroups(asked: Iterable<UsageSeries>, by: GroupOfSeries, span: Span): Map<string, UsageSums> {
  const groups = new Map<string, MutableSums>();
  for (const series of asked) {
    const sums = sumsBetween(series, span);
    if (sums !== undefined) addToGroup(groups, groupOf(by, series), sums);
  }
  return groups;
}

function sumsOfDays(asked: Iterable<UsageSeries>, span: Span): Map<string, UsageSums> {
  const days = new Map<number, MutableSums>();
  for (const series of asked) {
    for (const [day, sums] of sumsByDay(series, span)) addToGroup(days, day, sums);
  }
  return new Map([...days].map(([day, sums]) => [dateOfDay(day), sums]));
}

interface KnownUsage {
  readonly organizations: ReadonlyMap<string, OrganizationUsage>;
  readonly keys: ReadonlyMap<string, KeyUsage>;
}

/** The series that a query is about. */
function* askedSeries(
  { organizations, keys }: KnownUsage,
  { by, organizationId, keyId }: CheckedUsageQuery,
): Generator<UsageSeries> {
  if (keyId !== undefined) {
    for (const series of keys.get(keyId)?.series ?? []) {
      if (organizationId === undefined || series.organizationId === organizationId) yield series;
    }
    return;
  }
  for (const { whole, keyless, ofKeys } of selected(organizations, organizationId)) {
    if (by === 'organization' || by === 'day') yield whole;
    else {
      yield keyless;
      yield* ofKeys ?? [];
    }
  }
}

/** The value of this id, or all values. */
function selected<Value>(map: ReadonlyMap<string, Value>, id: string | undefined): Iterable<Value> {
  if (id === undefined) return map.values();
  const value = map.get(id);
  return value === undefined ? [] : [value];
}

function newOrganization(organizationId: string): OrganizationUsage {
  const keyless = newSeries({ organizationId, keyId: '', model: '', tag: '' });
  return { whole: keyless, keyless, ofKeys: undefined };
}

function noSeries(): UsageSeries[] {
  return [];
}

function groupOf(by: GroupOfSeries, series: UsageSeries): string {
  switch (by) {
    case 'organization':
      return series.organizationId;
    case 'key':
      return series.keyId;
    case 'model':
      return series.model;
    case 'tag':
      return series.tag;
  }
}

function inMap<Key, Value>(map: Map<Key, Value>, key: Key, make: (key: Key) => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make(key);
    map.set(key, value);
  }
  return value;
}
