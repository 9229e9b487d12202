import { type AuditDifference, type AuditReport, LedgerError } from '@searchgate/core/ledger';
import { type Database, rethrowAsSchemaMismatch } from '../engine/database.js';
import { SCHEMA_VERSION } from '../schema/migrations.js';

/** Every counter beside what the log and the open holds say; one row for each that differs. */
const DIFFERENCES = /* sql */ `
WITH of_organizations AS (
  SELECT organization_id AS id,
    coalesce(sum(amount) FILTER (WHERE kind = 'grant'), 0) AS credits,
    coalesce(sum(amount) FILTER (WHERE kind IN ('charge', 'adjustment')), 0) AS usage
  FROM entries GROUP BY organization_id
), held_of_organizations AS (
  SELECT organization_id AS id, sum(amount) AS held, count(*) FILTER (WHERE takes_place) AS in_flight
  FROM holds WHERE ended_at_ms IS NULL GROUP BY organization_id
), of_keys AS (
  SELECT e.key_id AS id,
    sum(e.amount) AS usage,
    coalesce(sum(e.amount) FILTER (WHERE e.at_ms >= day_of(k.latest_entry_ms)), 0) AS day,
    coalesce(sum(e.amount) FILTER (WHERE e.at_ms >= week_of(k.latest_entry_ms)), 0) AS week,
    coalesce(sum(e.amount) FILTER (WHERE e.at_ms >= month_of(k.latest_entry_ms)), 0) AS month
  FROM entries e LEFT JOIN key_usages k USING (key_id)
  WHERE e.key_id IS NOT NULL AND e.kind IN ('charge', 'adjustment') GROUP BY e.key_id
), held_of_keys AS (
  SELECT key_id AS id, sum(amount) AS held, count(*) FILTER (WHERE takes_place) AS in_flight
  FROM holds WHERE ended_at_ms IS NULL GROUP BY key_id
), figures AS (
  SELECT 'organization' AS subject, id, f.counter, f.counted, f.recomputed
  FROM (SELECT organization_id AS id, credits, usage, held, in_flight FROM organization_balances) o
    FULL JOIN of_organizations e USING (id) FULL JOIN held_of_organizations h USING (id),
    LATERAL (VALUES ('credits', o.credits::numeric, e.credits), ('usage', o.usage, e.usage), ('held', o.held, h.held),
      ('inFlight', o.in_flight, h.in_flight))
      f (counter, counted, recomputed)
  UNION ALL
  SELECT 'key', id, f.counter, f.counted, f.recomputed
  FROM (SELECT key_id AS id, * FROM key_usages) k FULL JOIN of_keys e USING (id) FULL JOIN held_of_keys h USING (id),
    LATERAL (VALUES ('usage', k.usage::numeric, e.usage), ('held', k.held, h.held), ('inFlight', k.in_flight, h.in_flight),
      ('day', k.usage::numeric - k.usage_before_day, e.day), ('week', k.usage::numeric - k.usage_before_week, e.week),
      ('month', k.usage::numeric - k.usage_before_month, e.month))
      f (counter, counted, recomputed)
)
SELECT subject, id, counter, coalesce(counted, 0)::text AS counted, coalesce(recomputed, 0)::text AS recomputed
FROM figures WHERE coalesce(counted, 0) <> coalesce(recomputed, 0) ORDER BY subject DESC, id COLLATE "C", counter`;

const COUNTS = /* sql */ `
SELECT (SELECT count(*) FROM organization_balances)::text AS organizations, (SELECT count(*) FROM key_usages)::text AS keys,
  (SELECT count(*) FROM entries)::text AS entries, (SELECT count(*) FROM holds WHERE ended_at_ms IS NULL)::text AS open_holds`;

/** Reads everything in one snapshot, which neither waits for writers nor keeps any waiting. */
export async function audit({ schema, transaction }: Database): Promise<AuditReport> {
  const report = transaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', async (run) => {
    await run(`SET LOCAL search_path TO ${schema}, pg_temp`);
    await run(`SELECT FROM version_${SCHEMA_VERSION}`);
    const [counts] = await run(COUNTS);
    const rows = await run(DIFFERENCES);
    if (counts === undefined) throw new LedgerError('schema_mismatch', 'the audit found nothing to count');
    return {
      organizations: Number(counts['organizations']),
      keys: Number(counts['keys']),
      entries: Number(counts['entries']),
      openHolds: Number(counts['open_holds']),
      differences: rows.map(differenceOf),
    };
  });
  return report.catch(rethrowAsSchemaMismatch);
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
