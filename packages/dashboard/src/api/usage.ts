import { type Administration, csvText } from '@searchgate/core/administration';
import {
  addSums,
  dateOfDay,
  dayOf,
  firstDayOf,
  formatUsd,
  LAST_DAY,
  type MutableSums,
  monthOfDay,
  noUsage,
  USAGE_GROUPS,
  type UsageSums,
} from '@searchgate/core/ledger';
import { z } from 'zod';
import type { UsageLine, UsageTable } from './contract.js';
import { csvDownload, csvLines } from './csv.js';
import { type Exchange, json, type Routes, readQuery } from './exchange.js';
import { notFound, Problem } from './problem.js';

const MOST_DAYS = 7;

/**
 * Estimates the charges of the current month: the charges until yesterday, plus the average of the last whole days for today and for each remaining
 * day. Today counts with its actual charges if these are higher.
 *
 * @param wholeDays whole days of the range before today; at most seven are averaged.
 * @param readDays the charges per day from `fromDay` until today, by date.
 * @returns decimal USD, rounded down to the nanodollar; `null` without a whole day.
 */
async function forecast(
  today: number,
  wholeDays: number,
  readDays: (fromDay: number) => Promise<ReadonlyMap<string | null, UsageSums>>,
): Promise<string | null> {
  if (wholeDays < 1) return null;
  const averaged = Math.min(MOST_DAYS, wholeDays);
  const monthStart = firstDayOf(monthOfDay(today));
  const daysLeft = firstDayOf(monthOfDay(today) + 1) - today - 1;
  const days = await readDays(Math.min(monthStart, today - averaged));
  const charged = (from: number, to: number): bigint => {
    let sum = 0n;
    for (let day = from; day < to; day += 1) sum += days.get(dateOfDay(day))?.charged ?? 0n;
    return sum;
  };
  const average = charged(today - averaged, today) / BigInt(averaged);
  const ofToday = charged(today, today + 1);
  const wholeToday = ofToday > average ? ofToday : average;
  return formatUsd(charged(monthStart, today) + wholeToday + average * BigInt(daysLeft));
}

const COLUMNS = ['requests', 'charged', 'cached_requests', 'upstream_cost', 'lost', 'granted', 'adjusted'] as const;

/** Usage as CSV. Amounts are decimal USD. Tags are written by callers, so groups are escaped. */
export function csvOf(by: string, lines: readonly UsageLine[]): string {
  const rows = lines.map((line) => [csvText(line.group ?? ''), ...COLUMNS.map((column) => line[column])]);
  return csvLines([[by, ...COLUMNS], ...rows]);
}

const MAX_ROWS = 1_000;
const MAX_DAYS = 1_000;
const DEFAULT_DAYS = 30;

/** A statement ends before a day, and dates have four-digit years. */
const LAST_ASKED_DAY = LAST_DAY - 1;

const askedDay = z.iso
  .date('must be a day such as "2026-11-21"')
  .transform((text) => dayOf(Date.parse(text)))
  .refine(
    (number) => number >= 0 && number <= LAST_ASKED_DAY,
    `must be a day from 1970-01-01 to ${dateOfDay(LAST_ASKED_DAY)}`,
  );

export const usageQuery = z.strictObject({
  by: z.enum(USAGE_GROUPS),
  organization: z.string().optional(),
  key: z.string().optional(),
  from: askedDay.optional(),
  to: askedDay.optional(),
});

/** The organizations and days of a request. */
interface Range {
  /** One statement each; `undefined` for all organizations together. */
  readonly organizations: readonly (string | undefined)[];
  readonly keyId: string | undefined;
  /** Days since the Unix epoch, both included. */
  readonly fromDay: number;
  readonly toDay: number;
}

type Groups = ReadonlyMap<string | null, UsageSums>;

/** Usage as a table and as CSV, from the sums of the ledger, never from its log. */
export function usageRoutes(administration: Administration): Routes {
  async function read(by: UsageTable['by'], range: Range): Promise<Groups> {
    const { organizations, keyId, fromDay, toDay } = range;
    const groups = new Map<string | null, MutableSums>();
    // Days without usage are included.
    if (by === 'day') for (let day = fromDay; day <= toDay; day += 1) groups.set(dateOfDay(day), noUsage());
    for (const organizationId of organizations) {
      const days = { from: dateOfDay(fromDay), to: dateOfDay(toDay + 1) };
      for (const { group, ...sums } of await administration.statement({ by, organizationId, keyId, ...days })) {
        const known = groups.get(group) ?? noUsage();
        addSums(known, sums);
        groups.set(group, known);
      }
    }
    return groups;
  }

  /** Hides whether a forbidden key exists. The host's own keys are in no registry. */
  async function checkKey({ scope }: Exchange, keyId: string | undefined, groups: Groups): Promise<void> {
    if (keyId === undefined || scope.organizations === 'all') return;
    if ([...groups.values()].some(({ charges, adjusted }) => charges > 0 || adjusted !== 0n)) return;
    const key = administration.hasKeyRegistry ? await administration.apiKeys.get(keyId) : undefined;
    if (key === undefined || !scope.has(key.organizationId)) throw notFound();
  }

  async function usageOf(exchange: Exchange) {
    const { by, organization, key: keyId, ...days } = readQuery(exchange, usageQuery);
    const { scope, clock } = exchange;
    if (organization !== undefined) scope.require(organization);
    const all = scope.organizations === 'all' ? [undefined] : scope.organizations;
    const today = dayOf(clock.now());
    const organizations = organization === undefined ? all : [organization];
    const range: Range = { organizations, keyId, ...daysOf(days, today) };
    const groups = await read(by, range);
    await checkKey(exchange, keyId, groups);
    return { by, groups, range, today };
  }

  return {
    'api/v1/usage': {
      async GET(exchange) {
        const { by, groups, range, today } = await usageOf(exchange);
        const readDays = (fromDay: number) => read('day', { ...range, fromDay, toDay: today });
        const wholeDays = range.toDay === today ? range.toDay - range.fromDay : 0;
        const keys = by === 'key' ? await knownKeys(administration, range.organizations) : undefined;
        // The rows of budgets overlap.
        const table = tableOf(groups, by === 'budget' ? await read('organization', range) : groups);
        const data = table.data.map((line) => ({ ...line, label: keys?.get(line.group ?? '')?.label }));
        const usage: UsageTable = { by, ...table, data, forecast: await forecast(today, wholeDays, readDays) };
        return json(usage);
      },
    },
    'api/v1/usage.csv': {
      async GET(exchange) {
        const { by, groups, range } = await usageOf(exchange);
        const name = `usage-by-${by}-${dateOfDay(range.fromDay)}-${dateOfDay(range.toDay)}.csv`;
        return csvDownload(name, csvOf(by, sorted([...groups]).map(lineOf)));
      },
    },
  };
}

/** Labels and organizations of the first 1,000 keys. @param organizations that are visible. */
export async function knownKeys(
  administration: Administration,
  organizations: readonly (string | undefined)[] = [],
): Promise<ReadonlyMap<string, { readonly label: string; readonly organization: string }>> {
  if (!administration.hasKeyRegistry) return new Map();
  const [organizationId] = organizations.length === 1 ? organizations : [];
  const { items } = await administration.apiKeys.list({ organizationId, limit: MAX_ROWS });
  return new Map(items.map(({ id, label, organizationId: organization }) => [id, { label, organization }]));
}

function daysOf({ from, to }: { readonly from?: number | undefined; readonly to?: number | undefined }, today: number) {
  const toDay = to ?? today;
  const fromDay = from ?? Math.max(0, toDay - DEFAULT_DAYS + 1);
  const end = to === undefined ? 'today' : '"to"';
  if (fromDay > toDay) throw new Problem(400, `must be a day at or before ${end}`, 'from');
  if (toDay - fromDay >= MAX_DAYS) throw new Problem(400, `must be less than ${MAX_DAYS} days before ${end}`, 'from');
  return { fromDay, toDay };
}

type Group = readonly [group: string | null, sums: UsageSums];

/** @param parts of which the total is the sum. */
function tableOf(groups: Groups, parts: Groups): Pick<UsageTable, 'data' | 'total' | 'omitted'> {
  const total = noUsage();
  for (const sums of parts.values()) addSums(total, sums);
  const all = [...groups];
  const most = all.length <= MAX_ROWS ? all : all.sort(byCharged).slice(0, MAX_ROWS);
  return { data: sorted(most).map(lineOf), total: sumsOf(total), omitted: all.length - most.length };
}

function byCharged([, a]: Group, [, b]: Group): number {
  return a.charged === b.charged ? 0 : a.charged < b.charged ? 1 : -1;
}

/** Usage without a group comes last. */
function sorted(groups: readonly Group[]): Group[] {
  return [...groups].sort(([a], [b]) => (a === b ? 0 : b === null || (a !== null && a < b) ? -1 : 1));
}

function lineOf([group, sums]: Group): UsageLine {
  return { group, ...sumsOf(sums) };
}

function sumsOf(sums: UsageSums): UsageTable['total'] {
  return {
    requests: sums.charges,
    charged: formatUsd(sums.charged),
    cached_requests: sums.cachedCharges,
    upstream_cost: formatUsd(sums.upstreamCost),
    lost: formatUsd(sums.lost),
    granted: formatUsd(sums.granted),
    adjusted: formatUsd(sums.adjusted),
  };
}
