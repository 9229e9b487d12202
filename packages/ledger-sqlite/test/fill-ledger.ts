import type { Handle } from './drivers.js';

/** How many organizations and keys the entries and holds are of. */
const BUSY_OWNERS = 4;
/** Entry `n`, counted from 1, was written so many milliseconds after the epoch times `n`. */
export const MS_BETWEEN_ENTRIES = 1_000;

/** Of each of them. */
const MODELS = 5;
const DAY_MS = 86_400_000;
const SUMS_OF_HOUR = 20;

/**
 * Fills every table that grows with `count` rows, in one transaction: losses of a few busy organizations and keys, holds that ended just now, claims that
 * no caller has completed, and keys, organizations, budgets and counters of others. Losses are in no usage, so the counters
 * are right. Sums are of the days before now, `count` of them for all models of the busy keys together.
 */
export function fillLedger(database: Handle, count: number, nowMs: number): void {
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`;
  const busy = `'busy-' || (n % ${BUSY_OWNERS})`;
  const today = Math.floor(nowMs / DAY_MS);
  const series = BUSY_OWNERS * MODELS;
  const sums = (entries: string) => `${entries}, 0, 0, 0, 0, 0, 0, 0, ${entries}`;
  const days = Math.ceil(count / series);
  database.exec(`BEGIN;
    ${numbers} INSERT INTO searchgate_entries (seq, kind, id, organization_id, key_id, amount, at_ms, comment, model, provider, budgets)
      SELECT n, 'loss', 'loss-' || n, ${busy}, ${busy}, 1, n * ${MS_BETWEEN_ENTRIES}, 'failed', 'exa/answer', 'exa', 'user' FROM numbers;
    ${numbers} INSERT INTO searchgate_holds (id, organization_id, key_id, model, amount, expires_at_ms, status, created_at_ms, ended_at_ms)
      SELECT 'old-' || n, ${busy}, ${busy}, 'exa/answer', 1, ${nowMs}, 'released', ${nowMs}, ${nowMs} FROM numbers;
    ${numbers} INSERT INTO searchgate_claims
      SELECT ${busy}, 'order-' || n, 'claim-' || n, 'print', ${nowMs} + 60000, NULL, NULL, NULL FROM numbers;
    ${numbers} INSERT INTO searchgate_organizations (id, created_at_ms) SELECT 'other-' || n, n FROM numbers;
    ${numbers} INSERT INTO searchgate_api_keys (id, hash, organization_id, label, created_at_ms)
      SELECT 'other-' || n, 'hash-' || n, ${busy}, '', n FROM numbers;
    ${numbers} INSERT INTO searchgate_tenant_keys SELECT 'other-' || n, 'exa', 'x', 'host-1', '', n FROM numbers;
    ${numbers} INSERT INTO searchgate_organization_totals (id, credits, usage, held) SELECT 'other-' || n, 0, 0, 0 FROM numbers;
    ${numbers} INSERT INTO searchgate_key_totals (id, usage, held, latest_day, before_day, before_week, before_month)
      SELECT 'other-' || n, 0, 0, 0, 0, 0, 0 FROM numbers;
    ${numbers} INSERT INTO searchgate_budget_totals SELECT iif(n % 2, 'acme', ${busy}), 'other-' || n, 0, ${today} - 1, 0, 0, 0, 0, 0
      FROM numbers;
    ${numbers} INSERT INTO searchgate_budgets SELECT iif(n % 2, 'acme', ${busy}), 'other-' || n, 1, NULL, 'enforce', 0 FROM numbers;
    ${numbers} INSERT INTO searchgate_usage SELECT n, ${busy}, ${busy}, 'model-' || (n / ${BUSY_OWNERS}), '', ${today - 1}, ${sums(`${days}`)}, iif(n % 2, 'user', '')
      FROM numbers WHERE n <= ${series};
    ${numbers} INSERT INTO searchgate_usage_openings SELECT 1 + n % ${series}, ${today} - n / ${series} - 1, ${sums(`${days} - n / ${series} - 1`)}
      FROM numbers WHERE n < ${days * series};
    ${numbers} INSERT INTO searchgate_usage_by_day SELECT ${today} - n / ${BUSY_OWNERS} - 1, ${busy}, ${sums(`${MODELS}`)}
      FROM numbers WHERE n < ${days * BUSY_OWNERS};
    ${numbers} INSERT INTO searchgate_requests (request_id, answer_id, at_ms, endpoint, key_id, organization_id, tag, model, provider, status, stream, loss, duration_ms, upstream_ms, attempts, budgets, cost, attempted, attempt_count)
      SELECT 'req_' || n, 'ans_' || n, ${nowMs} - ${count} + n, 'answer', ${busy}, ${busy}, 'tag-' || (n % 50), 'exa/' || (n % 7), 'exa',
        CASE n % 100 WHEN 0 THEN 502 ELSE 200 END, 0, 0, 1, 1, '[]', 'team user', 5, 'exa tavily', 2 FROM numbers;
    ${numbers} INSERT INTO searchgate_merged_request_sums SELECT 'calls', 'hour', at_ms, owner,
      json_group_array(json_array('calls' || char(10) || at_ms || char(10) || owner || char(10) || 'answer' || char(10) || model || char(10) || 'exa' || char(10) || 'answered',
        '5', json_array(${[1, 0, 1, ...Array.from({ length: 16 }, () => 0)].join(', ')})))
      FROM (SELECT (${nowMs} / 3600000 - n / ${SUMS_OF_HOUR} - 1) * 3600000 AS at_ms, ${busy} AS owner, 'exa/' || (n % ${SUMS_OF_HOUR}) AS model FROM numbers)
      GROUP BY at_ms, owner;
    ${numbers} INSERT INTO searchgate_pending_request_sums (sums) SELECT '[]' FROM numbers WHERE n <= 1000;
    ${numbers} INSERT INTO searchgate_merged_request_sums SELECT 'attempts', 'day', n, ${busy}, '[]' FROM numbers;
    COMMIT`);
}
