import type { FillSize } from './fill-size.js';

/** A handle of any driver. */
interface Connection {
  exec(sql: string): unknown;
}

const DAY_MS = 86_400_000;
/** Of every organization: more than any log can spend. */
const CREDITS = 1_000_000_000_000_000n;
/** So many entries are written in one transaction. */
const SLICE = 500_000;

const SUMS = [
  'entries',
  'charges',
  'cached_charges',
  'charged',
  'cached',
  'upstream_cost',
  'adjusted',
  'granted',
  'lost',
];
const COLUMNS = SUMS.join(', ');
const TOTALS = SUMS.map((sum) => `sum(${sum}) AS ${sum}`).join(', ');
const BEFORE = SUMS.map((sum) => `coalesce(sum(${sum}) OVER before, 0)`).join(', ');

/**
 * Writes a log, and the counters and sums that follow from it, into an empty ledger that has been migrated: as if all its holds had ended long ago.
 * Every 20th entry is a loss, every 10th charge is for an answer that was there already.
 */
export function fillSqlite(connection: Connection, options: FillSize): void {
  const { entries, days, organizations } = options;
  const nowMs = Date.now();
  const firstMs = (Math.floor(nowMs / DAY_MS) - days + 1) * DAY_MS;
  const stepMs = (nowMs - firstMs) / entries;
  connection.exec(`${numbers(0, organizations)} INSERT INTO searchgate_entries (kind, id, organization_id, amount, at_ms, comment)
    SELECT 'grant', 'grant-' || n, 'organization-' || n, ${CREDITS}, ${firstMs}, 'benchmark' FROM numbers`);
  for (let first = 0; first < entries; first += SLICE) {
    connection.exec(entriesFrom(options, { first, behind: Math.min(entries, first + SLICE), firstMs, stepMs }));
  }
  connection.exec(SUMS_AND_COUNTERS);
  connection.exec('ANALYZE');
}

function numbers(first: number, behind: number): string {
  return `WITH RECURSIVE numbers (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${behind - 1})`;
}

interface Slice {
  readonly first: number;
  readonly behind: number;
  readonly firstMs: number;
  readonly stepMs: number;
}

function entriesFrom({ keys, organizations, models }: FillSize, { first, behind, firstMs, stepMs }: Slice): string {
  return `${numbers(first, behind)}, calls AS (SELECT n, n % ${keys} AS key, n / ${keys} AS round, n % 20 = n / ${keys} % 20 AS is_loss FROM numbers)
    INSERT INTO searchgate_entries
      (kind, id, organization_id, key_id, amount, at_ms, comment, model, provider, cost_source, upstream_cost, late)
    SELECT iif(is_loss, 'loss', 'charge'), printf('ans_%026d%s', n, iif(is_loss, '.loss.1', '')), 'organization-' || (key % ${organizations}),
      'key-' || key, 1000000 + n % 9000000, ${firstMs} + CAST(n * ${stepMs} AS INTEGER), iif(is_loss, 'failed', NULL),
      'exa/model-' || (round % ${models}), 'exa', iif(is_loss, NULL, iif(round % 10 = 0, 'cached', 'reported')),
      iif(is_loss, NULL, iif(round % 10 = 0, 0, 1000000)), iif(is_loss, NULL, 0)
    FROM calls`;
}

/** Everything follows from the sums of single days, which are made once. */
const SUMS_AND_COUNTERS = `
  BEGIN;
  CREATE TEMP TABLE sums_of_days AS
    SELECT organization_id, coalesce(key_id, '') AS key_id, coalesce(model, '') AS model, at_ms / ${DAY_MS} AS day, count(*) AS entries,
      sum(kind = 'charge') AS charges, coalesce(sum(cost_source = 'cached'), 0) AS cached_charges, sum(iif(kind = 'charge', amount, 0)) AS charged,
      sum(iif(cost_source = 'cached', amount, 0)) AS cached, coalesce(sum(upstream_cost), 0) AS upstream_cost, 0 AS adjusted,
      sum(iif(kind = 'grant', amount, 0)) AS granted, sum(iif(kind = 'loss', amount, 0)) AS lost
    FROM searchgate_entries GROUP BY 1, 2, 3, 4;
  INSERT INTO searchgate_usage (organization_id, key_id, model, tag, latest_day, ${COLUMNS})
    SELECT organization_id, key_id, model, '', max(day), ${TOTALS} FROM sums_of_days GROUP BY organization_id, key_id, model;
  INSERT INTO searchgate_usage_openings (series, day, ${COLUMNS})
    SELECT usage.series, days.day, ${BEFORE.replaceAll('sum(', 'sum(days.')} FROM searchgate_usage AS usage
      JOIN sums_of_days AS days USING (organization_id, key_id, model)
      WINDOW before AS (PARTITION BY usage.series ORDER BY days.day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING);
  INSERT INTO searchgate_usage_by_day (organization_id, day, ${COLUMNS})
    SELECT organization_id, day, ${TOTALS} FROM sums_of_days GROUP BY organization_id, day;
  INSERT INTO searchgate_organization_totals (id, credits, usage, held)
    SELECT organization_id, sum(granted), sum(charged), 0 FROM searchgate_usage GROUP BY organization_id;
  INSERT INTO searchgate_key_totals (id, usage, held, latest_day, before_day, before_week, before_month)
    SELECT key_id, sum(charged), 0, latest, sum(iif(day < latest, charged, 0)), sum(iif(day < latest - (latest + 3) % 7, charged, 0)),
      sum(iif(day < unixepoch(latest * 86400, 'unixepoch', 'start of month') / 86400, charged, 0))
    FROM sums_of_days JOIN (SELECT key_id, max(day) AS latest FROM sums_of_days WHERE charges > 0 GROUP BY key_id) USING (key_id)
    GROUP BY key_id;
  DROP TABLE sums_of_days;
  COMMIT`;
