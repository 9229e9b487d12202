import { type AuditDifference, type AuditReport, BUDGET_IDLE_DAYS } from '@searchgate/core/ledger';
import type { Database } from '../engine/database.js';
import { SCHEMA_VERSION } from '../schema/migrations.js';
import { perWindow } from '../schema/per-window.js';

const COLUMNS = `latest_entry_ms, ${perWindow('usage_before_@')}`;

/** What the log has of a key or a budget in the latest window of its counters `k`, which have none before their first entry. */
const LOGGED = perWindow(
  'sum(e.amount) FILTER (WHERE k.latest_entry_ms > 0 AND e.at_ms >= @_of(k.latest_entry_ms)) AS @',
);

/** The usage in these windows beside what the log still has of it, and what was removed, where that reaches into the window. */
const FIGURES = perWindow(`('@', k.usage::numeric - k.usage_before_@, coalesce(e.@, 0)
        + CASE WHEN r.latest_entry_ms >= @_of(k.latest_entry_ms) THEN r.usage - r.usage_before_@ ELSE 0 END)`);

/** Whose counters an entry or a hold changes. */
const OWNERS = `LATERAL (
    SELECT 'organization', organization_id UNION ALL SELECT 'key', key_id WHERE key_id IS NOT NULL
    UNION ALL SELECT 'budget', organization_id || ' ' || budget_id FROM unnest(budgets) i (budget_id)
  ) o (subject, owner)`;

/**
 * Every counter beside what the log, what was removed from it and the open holds say, and beside the sums of each level; one row for each that
 * differs.
 */
const DIFFERENCES = /* sql */ `
WITH counters AS (
  SELECT 'key' AS subject, key_id AS owner, NULL::int8 AS credits, usage, held, in_flight, NULL::int8 AS since_ms, ${COLUMNS} FROM key_usages
  UNION ALL SELECT 'budget', organization_id || ' ' || budget_id, NULL, usage, held, NULL, since_ms, ${COLUMNS} FROM budget_usages
  UNION ALL SELECT 'organization', organization_id, credits, usage, held, in_flight, NULL, NULL, NULL, NULL, NULL FROM organization_balances
), removed AS (
  SELECT 'key' AS subject, key_id AS owner, usage, ${COLUMNS} FROM removed_of_keys
  UNION ALL SELECT 'budget', organization_id || ' ' || budget_id, usage, ${COLUMNS} FROM removed_of_budgets
  UNION ALL SELECT 'organization', organization_id, usage, NULL, NULL, NULL, NULL FROM removed_of_organizations
), logged AS (
  SELECT subject, owner,
    sum(e.amount) FILTER (WHERE e.kind = 'grant') AS credits,
    sum(e.amount) FILTER (WHERE e.kind <> 'grant') AS usage,
    sum(e.amount) FILTER (WHERE e.at_ms >= k.since_ms) AS usage_since,
    coalesce(k.since_ms, $1::int8) - max(e.at_ms) FILTER (WHERE k.since_ms IS NULL OR e.at_ms < k.since_ms) AS idle_ms,
    ${LOGGED}
  FROM entries e CROSS JOIN ${OWNERS} LEFT JOIN counters k USING (subject, owner)
  WHERE e.kind IN ('grant', 'charge', 'adjustment') GROUP BY subject, owner, k.since_ms
), held AS (
  SELECT subject, owner, sum(amount) AS held, count(*) FILTER (WHERE uses_slot AND subject <> 'budget') AS in_flight
  FROM holds CROSS JOIN ${OWNERS} WHERE ended_at_ms IS NULL GROUP BY subject, owner
), summed AS (
  SELECT organization_id, key_id, level, sum(coalesce(charged, 0) + coalesce(adjusted, 0)) AS amount FROM usage_sums GROUP BY organization_id, key_id, level
), sums AS (
  SELECT subject, owner, level, sum(amount) AS amount
  FROM summed CROSS JOIN LATERAL (VALUES ('organization', organization_id), ('key', nullif(key_id, ''))) o (subject, owner)
  WHERE owner IS NOT NULL GROUP BY subject, owner, level
), figures AS (
  SELECT subject, owner, f.counter, f.counted, f.recomputed
  FROM counters k FULL JOIN logged e USING (subject, owner) FULL JOIN held h USING (subject, owner) FULL JOIN removed r USING (subject, owner),
    LATERAL (VALUES ('credits', k.credits::numeric, e.credits),
      -- What is from before the counter of a budget was forgotten counts no longer. None is forgotten sooner.
      ('usage', k.usage, coalesce(r.usage, 0) + coalesce(CASE
        WHEN subject <> 'budget' OR e.idle_ms <= ${BUDGET_IDLE_DAYS * 86_400_000} THEN e.usage WHEN k.since_ms IS NOT NULL THEN e.usage_since END, 0)),
      ('held', k.held, h.held), ('inFlight', k.in_flight, h.in_flight),
      ${FIGURES})
      f (counter, counted, recomputed)
  UNION ALL
  SELECT subject, owner, 'sums', k.usage, s.amount
  FROM (
    SELECT * FROM counters, (VALUES ('organization'), ('day'), ('month')) l (level)
    WHERE subject = 'organization' OR subject = 'key' AND level <> 'organization'
  ) k FULL JOIN sums s USING (subject, owner, level)
)
SELECT DISTINCT subject, owner COLLATE "C" AS id, counter, coalesce(counted, 0)::text AS counted, coalesce(recomputed, 0)::text AS recomputed
FROM figures WHERE coalesce(counted, 0) <> coalesce(recomputed, 0) ORDER BY subject DESC, id, counter, counted, recomputed`;

const COUNTS = /* sql */ `
SELECT json_build_object('organizations', (SELECT count(*) FROM organization_balances), 'keys', (SELECT count(*) FROM key_usages),
  'budgets', (SELECT count(*) FROM budget_usages), 'entries', (SELECT count(*) FROM entries),
  'openHolds', (SELECT count(*) FROM holds WHERE ended_at_ms IS NULL))::text AS counts`;

/** Reads everything in one snapshot, which neither waits for writers nor keeps any waiting. */
export async function audit({ schema, transaction, rethrow, givenNow }: Database): Promise<AuditReport> {
  const report = transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (run) => {
    await run(`SET LOCAL search_path TO ${schema}, pg_temp`);
    await run(`SELECT FROM version_${SCHEMA_VERSION}`);
    const [counted] = await run(COUNTS);
    const rows = await run(DIFFERENCES, [givenNow() ?? Date.now()]);
    const counts = JSON.parse(String(counted?.['counts'])) as Omit<AuditReport, 'differences'>;
    return { ...counts, differences: rows.map(differenceOf) };
  });
  return report.catch(rethrow);
}

function differenceOf(row: Record<string, unknown>): AuditDifference {
  const { counted, recomputed, ...named } = row as { [Field in keyof AuditDifference]: string };
  return { ...(named as AuditDifference), counted: BigInt(counted), recomputed: BigInt(recomputed) };
}
