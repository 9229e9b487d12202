import { type AuditDifference, type AuditReport, BUDGET_IDLE_DAYS, LedgerError } from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';
import { SCHEMA_VERSION } from '../schema/migrations.js';

const WINDOWS = ['day', 'week', 'month'] as const;

/** What the log has of a key or a budget in the latest window of its counters `k`, which have none before their first entry. */
const LOGGED = WINDOWS.map(
  (window) =>
    `sum(e.amount) FILTER (WHERE k.latest_entry_ms > 0 AND e.at_ms >= ${window}_of(k.latest_entry_ms)) AS ${window}`,
).join(', ');

/** The usage in these windows beside what the log still has of it, and what was removed, where that reaches into the window. */
const FIGURES = WINDOWS.map(
  (window) => `('${window}', k.usage::numeric - k.usage_before_${window}, coalesce(e.${window}, 0)
        + CASE WHEN r.latest_entry_ms >= ${window}_of(k.latest_entry_ms) THEN r.usage - r.usage_before_${window} ELSE 0 END)`,
).join(', ');

/**
 * Every counter beside what the log, what was removed from it and the open holds say, and beside the sums of each level; one row for each that
 * differs.
 */
const DIFFERENCES = /* sql */ `
WITH of_organizations AS (
  SELECT organization_id AS id,
    coalesce(sum(amount) FILTER (WHERE kind = 'grant'), 0) AS credits,
    coalesce(sum(amount) FILTER (WHERE kind IN ('charge', 'adjustment')), 0) AS usage
  FROM entries GROUP BY organization_id
), held_of_organizations AS (
  SELECT organization_id AS id, sum(amount) AS held, count(*) FILTER (WHERE uses_slot) AS in_flight
  FROM holds WHERE ended_at_ms IS NULL GROUP BY organization_id
), of_keys AS (
  SELECT e.key_id AS id,
    sum(e.amount) AS usage,
    ${LOGGED}
  FROM entries e LEFT JOIN key_usages k USING (key_id)
  WHERE e.key_id IS NOT NULL AND e.kind IN ('charge', 'adjustment') GROUP BY e.key_id
), of_budgets AS (
  SELECT e.organization_id, i.budget_id,
    sum(e.amount) FILTER (WHERE k.since_ms IS NULL OR e.at_ms >= k.since_ms) AS usage,
    ${LOGGED},
    coalesce(k.since_ms, $1::int8) - max(e.at_ms) FILTER (WHERE k.since_ms IS NULL OR e.at_ms < k.since_ms) AS idle_ms,
    sum(e.amount) AS of_all_time
  FROM entries e CROSS JOIN unnest(e.budgets) i (budget_id) LEFT JOIN budget_usages k ON k.organization_id = e.organization_id AND k.budget_id = i.budget_id
  WHERE e.kind IN ('charge', 'adjustment') GROUP BY e.organization_id, i.budget_id, k.since_ms
), held_of_budgets AS (
  SELECT organization_id, budget_id, sum(amount) AS held FROM holds CROSS JOIN unnest(budgets) i (budget_id) WHERE ended_at_ms IS NULL GROUP BY 1, 2
), held_of_keys AS (
  SELECT key_id AS id, sum(amount) AS held, count(*) FILTER (WHERE uses_slot) AS in_flight
  FROM holds WHERE ended_at_ms IS NULL GROUP BY key_id
), summed AS (
  SELECT organization_id, key_id, level, sum(charged) AS charged, sum(adjusted) AS adjusted FROM usage_sums GROUP BY organization_id, key_id, level
), sums_of_organizations AS (
  SELECT organization_id AS id,
    coalesce(sum(coalesce(charged, 0) + coalesce(adjusted, 0)) FILTER (WHERE level = 'organization'), 0) AS alone,
    coalesce(sum(coalesce(charged, 0) + coalesce(adjusted, 0)) FILTER (WHERE level = 'day'), 0) AS by_day,
    coalesce(sum(coalesce(charged, 0) + coalesce(adjusted, 0)) FILTER (WHERE level = 'month'), 0) AS by_month
  FROM summed GROUP BY organization_id
), sums_of_keys AS (
  SELECT key_id AS id,
    coalesce(sum(coalesce(charged, 0) + coalesce(adjusted, 0)) FILTER (WHERE level = 'day'), 0) AS by_day,
    coalesce(sum(coalesce(charged, 0) + coalesce(adjusted, 0)) FILTER (WHERE level = 'month'), 0) AS by_month
  FROM summed WHERE key_id <> '' GROUP BY key_id
), figures AS (
  SELECT 'organization' AS subject, id, f.counter, f.counted, f.recomputed
  FROM (SELECT organization_id AS id, credits, usage, held, in_flight FROM organization_balances) o
    FULL JOIN of_organizations e USING (id) FULL JOIN held_of_organizations h USING (id) FULL JOIN sums_of_organizations s USING (id)
    FULL JOIN (SELECT organization_id AS id, usage FROM removed_of_organizations) r USING (id),
    LATERAL (VALUES ('credits', o.credits::numeric, e.credits), ('usage', o.usage, coalesce(e.usage, 0) + coalesce(r.usage, 0)),
      ('held', o.held, h.held), ('inFlight', o.in_flight, h.in_flight),
      ('sums', o.usage, s.alone), ('sums', o.usage, s.by_day), ('sums', o.usage, s.by_month))
      f (counter, counted, recomputed)
  UNION ALL
  SELECT 'key', id, f.counter, f.counted, f.recomputed
  FROM (SELECT key_id AS id, * FROM key_usages) k FULL JOIN of_keys e USING (id) FULL JOIN held_of_keys h USING (id)
    FULL JOIN sums_of_keys s USING (id) FULL JOIN (SELECT key_id AS id, * FROM removed_of_keys) r USING (id),
    LATERAL (VALUES ('usage', k.usage::numeric, coalesce(e.usage, 0) + coalesce(r.usage, 0)),
      ('held', k.held, h.held), ('inFlight', k.in_flight, h.in_flight),
      ${FIGURES},
      ('sums', k.usage, s.by_day), ('sums', k.usage, s.by_month))
      f (counter, counted, recomputed)
  UNION ALL
  SELECT 'budget', organization_id || ' ' || budget_id, f.counter, f.counted, f.recomputed
  FROM budget_usages k FULL JOIN of_budgets e USING (organization_id, budget_id) FULL JOIN held_of_budgets h USING (organization_id, budget_id)
    FULL JOIN removed_of_budgets r USING (organization_id, budget_id),
    LATERAL (VALUES
      -- What is from before a counter was forgotten counts no longer. None is forgotten sooner.
      ('usage', k.usage::numeric, coalesce(
        CASE WHEN e.idle_ms <= ${BUDGET_IDLE_DAYS * 86_400_000} THEN e.of_all_time WHEN k.since_ms IS NOT NULL THEN e.usage END, 0) + coalesce(r.usage, 0)),
      ('held', k.held, h.held),
      ${FIGURES})
      f (counter, counted, recomputed)
)
SELECT DISTINCT subject, id COLLATE "C" AS id, counter, coalesce(counted, 0)::text AS counted, coalesce(recomputed, 0)::text AS recomputed
FROM figures WHERE coalesce(counted, 0) <> coalesce(recomputed, 0) ORDER BY subject DESC, id, counter, counted, recomputed`;

const COUNTS = /* sql */ `
SELECT (SELECT count(*) FROM organization_balances)::text AS organizations, (SELECT count(*) FROM key_usages)::text AS keys,
  (SELECT count(*) FROM budget_usages)::text AS budgets,
  (SELECT count(*) FROM entries)::text AS entries, (SELECT count(*) FROM holds WHERE ended_at_ms IS NULL)::text AS open_holds`;

/** Reads everything in one snapshot, which neither waits for writers nor keeps any waiting. */
export async function audit({ schema, transaction, rethrow, givenNow }: Database): Promise<AuditReport> {
  const report = transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (run) => {
    await run(`SET LOCAL search_path TO ${schema}, pg_temp`);
    await run(`SELECT FROM version_${SCHEMA_VERSION}`);
    const [counts] = await run(COUNTS);
    const rows = await run(DIFFERENCES, [givenNow() ?? Date.now()]);
    if (counts === undefined) throw new LedgerError('schema_mismatch', 'the audit found nothing to count');
    return {
      organizations: Number(counts['organizations']),
      keys: Number(counts['keys']),
      budgets: Number(counts['budgets']),
      entries: Number(counts['entries']),
      openHolds: Number(counts['open_holds']),
      differences: rows.map(differenceOf),
    };
  });
  return report.catch(rethrow);
}

function differenceOf(row: Record<string, unknown>): AuditDifference {
  const { subject, id, counter, counted, recomputed } = row as Record<string, string>;
  return {
    subject: subject as AuditDifference['subject'],
    id: String(id),
    counter: counter as AuditDifference['counter'],
    counted: BigInt(counted ?? 0),
    recomputed: BigInt(recomputed ?? 0),
  };
}
