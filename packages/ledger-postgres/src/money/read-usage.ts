import {
  type CheckedUsageQuery,
  firstDayOf,
  monthOfDay,
  type Span,
  splitDays,
  USAGE_SUMS,
  type UsageRow,
  usageSumsOf,
} from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';

/** Periods of one level of the sums, which count once (1) or are taken away (-1). */
interface UsageSpan extends Span {
  readonly level: 'day' | 'month' | 'organization';
  readonly sign: 1 | -1;
}

/** A {@link UsageRow} with its amounts as decimal texts; `null` where nothing was added up. */
type UsageTexts = { readonly [Sum in keyof UsageRow]: string | null };

/** Behind every day there is. */
const LAST_DAY = 1_000_000_000;

/** Reads sums by month, and by day at the edges of the time that is asked for. */
export async function readUsage({ read }: Database, query: CheckedUsageQuery): Promise<readonly UsageRow[]> {
  const { by, organizationId = null, keyId = null, after = null, limit, budget = null } = query;
  const values = [by, organizationId, keyId, JSON.stringify(spansOf(query)), after, limit, budget];
  const rows = (await read<UsageTexts[]>('list_usage', () => values)) ?? [];
  return rows.map(usageRowOf);
}

function spansOf({ by, keyId, budget, fromDay, toDay }: CheckedUsageQuery): UsageSpan[] {
  // The sums of all of an organization on one day serve where neither keys, budgets nor models matter.
  const isOfAll = keyId === undefined && budget === undefined && (by === 'day' || by === 'organization');
  const level = isOfAll ? 'organization' : 'day';
  if (by === 'day') return [{ level, from: fromDay ?? 0, to: toDay ?? LAST_DAY, sign: 1 }];
  const { months, days } = splitDays(fromDay, toDay);
  return [{ level: 'month', ...months, sign: 1 }, ...days.flatMap((span) => shortestSpans(level, span))];
}

/** Days of one month: themselves, or the month without the others where these are fewer. */
function shortestSpans(level: UsageSpan['level'], { from, to }: Span): UsageSpan[] {
  const month = monthOfDay(from);
  const [first, behind] = [firstDayOf(month), firstDayOf(month + 1)];
  if (2 * (to - from) <= behind - first) return [{ level, from, to, sign: 1 }];
  return [
    { level: 'month', from: month, to: month + 1, sign: 1 },
    { level, from: first, to: from, sign: -1 },
    { level, from: to, to: behind, sign: -1 },
  ];
}

function usageRowOf({ group, ...sums }: UsageTexts): UsageRow {
  return { group, ...usageSumsOf(USAGE_SUMS.map((name) => sums[name])) };
}
