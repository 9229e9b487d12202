import type { FillSize } from './fill-size.js';

/** A pool or a client of pg. */
interface Connection {
  query(text: string): Promise<unknown>;
}

const DAY_MS = 86_400_000;
/** Of every organization: more than any log can spend. */
const CREDITS = 1_000_000_000_000_000n;
/** So many entries are written in one statement. */
const SLICE = 500_000;

const COUNTS = ['entries', 'charges', 'cached_charges'];
const SUMS = ['charged', 'cached', 'upstream_cost', 'adjusted', 'granted', 'lost'];
const COLUMNS = [...COUNTS, ...SUMS].join(', ');
const TOTALS = [...COUNTS, ...SUMS].map((sum) => `sum(${sum})`).join(', ');

/**
 * Writes a log, and the counters and sums that follow from it, into an empty ledger that has been migrated: as if all its holds had ended long ago.
 * Every 20th entry is a loss, every 10th charge is for an answer that was there already.
 */
export async function fillPostgres(connection: Connection, options: FillSize, schema = 'searchgate'): Promise<void> {
  const { entries, days, organizations } = options;
  const firstMs = (Math.floor(Date.now() / DAY_MS) - days + 1) * DAY_MS;
  const stepMs = (Date.now() - firstMs) / entries;
  await connection.query(`INSERT INTO ${schema}.entries (at_ms, kind, id, organization_id, amount, note)
    SELECT ${firstMs}, 'grant', 'grant-' || n, 'organization-' || n, ${CREDITS}, 'benchmark' FROM generate_series(0, ${organizations - 1}) n`);
  for (let first = 0; first < entries; first += SLICE) {
    await connection.query(
      entriesFrom(schema, options, { first, last: Math.min(entries, first + SLICE) - 1, firstMs, stepMs }),
    );
  }
  for (const statement of sumsAndCounters(schema)) await connection.query(statement);
  for (const table of ['entries', 'usage_sums', 'organization_balances', 'key_usages']) {
    await connection.query(`VACUUM ANALYZE ${schema}.${table}`);
  }
}

interface Slice {
  readonly first: number;
  readonly last: number;
  readonly firstMs: number;
  readonly stepMs: number;
}

function entriesFrom(
  schema: string,
  { keys, organizations, models }: FillSize,
  { first, last, firstMs, stepMs }: Slice,
): string {
  return `INSERT INTO ${schema}.entries (at_ms, kind, id, organization_id, key_id, amount, model, provider, cost_source, upstream_cost, late, reason)
    SELECT ${firstMs} + floor(n * ${stepMs}::float8)::int8, CASE WHEN is_loss THEN 'loss' ELSE 'charge' END,
      'ans_' || lpad(n::text, 26, '0') || CASE WHEN is_loss THEN '.loss.1' ELSE '' END, 'organization-' || key % ${organizations}, 'key-' || key,
      1000000 + n % 9000000, 'exa/model-' || n / ${keys} % ${models}, 'exa',
      CASE WHEN NOT is_loss THEN CASE n / ${keys} % 10 WHEN 0 THEN 'cached' ELSE 'reported' END END,
      CASE WHEN NOT is_loss THEN CASE n / ${keys} % 10 WHEN 0 THEN 0 ELSE 1000000 END END, CASE WHEN NOT is_loss THEN false END, CASE WHEN is_loss THEN 'failed' END
    FROM (SELECT n, n * 7919::int8 % ${keys} AS key, n / ${keys} % 20 = 19 AS is_loss FROM generate_series(${first}, ${last}) n) e`;
}

function sumsAndCounters(schema: string): string[] {
  const charged = `FILTER (WHERE kind = 'charge')`;
  const cached = `FILTER (WHERE cost_source = 'cached')`;
  return [
    `INSERT INTO ${schema}.usage_sums (level, period, organization_id, key_id, model, tag, ${COLUMNS})
      SELECT 'day', at_ms / ${DAY_MS}, organization_id, coalesce(key_id, ''), coalesce(model, ''), '', count(*), count(*) ${charged}, count(*) ${cached},
        sum(amount) ${charged}, sum(amount) ${cached}, sum(upstream_cost), NULL::numeric, sum(amount) FILTER (WHERE kind = 'grant'),
        sum(amount) FILTER (WHERE kind = 'loss')
      FROM ${schema}.entries GROUP BY at_ms / ${DAY_MS}, organization_id, key_id, model ORDER BY at_ms / ${DAY_MS}`,
    `INSERT INTO ${schema}.usage_sums (level, period, organization_id, key_id, model, tag, ${COLUMNS})
      SELECT 'month', ${schema}.month_number(period::int8 * ${DAY_MS}), organization_id, key_id, model, tag, ${TOTALS}
      FROM ${schema}.usage_sums WHERE level = 'day' GROUP BY 2, 3, 4, 5, 6 ORDER BY 2`,
    `INSERT INTO ${schema}.usage_sums (level, period, organization_id, key_id, model, tag, ${COLUMNS})
      SELECT 'organization', period, organization_id, '', '', '', ${TOTALS} FROM ${schema}.usage_sums WHERE level = 'day' GROUP BY 2, 3 ORDER BY 2`,
    `INSERT INTO ${schema}.organization_balances (organization_id, credits, usage, latest_entry_ms, forget_at_ms)
      SELECT organization_id, sum(amount) FILTER (WHERE kind = 'grant'), coalesce(sum(amount) ${charged}, 0), max(at_ms), NULL
      FROM ${schema}.entries GROUP BY organization_id`,
    `INSERT INTO ${schema}.key_usages (key_id, usage, latest_entry_ms, usage_before_day, usage_before_week, usage_before_month, forget_at_ms)
      SELECT key_id, sum(amount), latest, ${['day', 'week', 'month'].map((of) => `coalesce(sum(amount) FILTER (WHERE at_ms < ${schema}.${of}_of(latest)), 0)`).join(', ')}, NULL
      FROM ${schema}.entries e JOIN (SELECT key_id, max(at_ms) AS latest FROM ${schema}.entries GROUP BY key_id) l USING (key_id)
      WHERE kind = 'charge' GROUP BY key_id, latest`,
  ];
}
