import type { TestDatabase } from './test-database.js';

/** The tables that grow with use. */
export const GROWING_TABLES = [
  'organization_balances',
  'key_usages',
  'budget_usages',
  'holds',
  'entries',
  'usage_sums',
  'removed_of_organizations',
  'removed_of_keys',
  'removed_of_budgets',
  'claims',
  'api_keys',
  'budgets',
  'organizations',
  'tenant_keys',
  'requests',
  'request_sums',
  'request_counts',
  'request_texts',
  'changes',
] as const;

/** Entry number n is stamped so many milliseconds and n since the Unix epoch. */
export const FIRST_MS = 1_000_000;
/** Far ahead: when open holds expire, ended ones are forgotten, claims are over, and rates have drained. */
const FAR_MS = 4_102_444_800_000;

/**
 * Adds the rows of these numbers to every table. Nine of ten entries are of the organization `large` and its key `busy`, the last 20 of its key
 * `late`; the others belong to thousands of small organizations. Half of the holds are open, and half of the counters there for a rate alone. Sums have
 * one row for each number, level and period of that number.
 */
export async function fillTables({ run }: TestDatabase, { from, to }: { from: number; to: number }): Promise<void> {
  const rows = `FROM generate_series(${from}, ${to}) n`;
  const organization = `CASE WHEN n % 10 > 0 OR n > ${to} - 20 THEN 'large' ELSE 'small-' || n % 5000 END`;
  const key = `CASE WHEN n > ${to} - 20 THEN 'late' WHEN n % 10 > 0 THEN 'busy' ELSE 'key-' || n % 5000 END`;
  const forgetAtMs = `CASE n % 2 WHEN 1 THEN ${FAR_MS} + n END`;
  const statements = [
    `INSERT INTO searchgate.entries (at_ms, kind, id, organization_id, key_id, amount, model, provider, cost_source, late)
      SELECT ${FIRST_MS} + n, 'charge', 'entry-' || n, ${organization}, ${key}, 1, 'exa/answer', 'exa', 'flat', false ${rows}`,
    `INSERT INTO searchgate.holds (hold_id, organization_id, key_id, amount, model, expires_at_ms, token, status, ended_at_ms, created_at_ms)
      SELECT 'hold-' || n, ${organization}, ${key}, 0, 'exa/answer', ${FAR_MS} + n, gen_random_uuid(),
        CASE n % 2 WHEN 0 THEN 'open' ELSE 'settled' END, CASE n % 2 WHEN 1 THEN ${FAR_MS} + n END, n ${rows}`,
    `INSERT INTO searchgate.usage_sums (entries, charges, cached_charges, period, level, organization_id, key_id, model, tag, charged, budgets)
      SELECT 1, 1, 0, n, level, ${organization}, CASE level WHEN 'organization' THEN '' ELSE ${key} END, 'exa/filled', '', 1,
        CASE WHEN level <> 'organization' AND n % 2 = 1 THEN 'budget-1 budget-' || n ELSE '' END ${rows},
        (VALUES ('day'), ('month'), ('organization')) l (level)`,
    `INSERT INTO searchgate.removed_of_organizations (organization_id, usage) SELECT 'small-' || n, 1 ${rows}`,
    `INSERT INTO searchgate.removed_of_keys SELECT 'key-' || n, 1, 0, 0, 0, 0 ${rows}`,
    `INSERT INTO searchgate.claims (key_id, idempotency_key, claim_id, fingerprint, until_ms)
      SELECT ${key}, 'name-' || n, 'claim', 'fingerprint', ${FAR_MS} + n ${rows}`,
    `INSERT INTO searchgate.organization_balances (organization_id, forget_at_ms) SELECT 'small-' || n, ${forgetAtMs} ${rows}`,
    `INSERT INTO searchgate.key_usages (key_id, forget_at_ms) SELECT 'key-' || n, ${forgetAtMs} ${rows}`,
    `INSERT INTO searchgate.budget_usages SELECT ${organization}, 'budget-' || n, 0, 0, 0, 0, 0, 0, 0, CASE n % 2 WHEN 1 THEN ${FAR_MS} / 86400000 + n END ${rows}
      ON CONFLICT DO NOTHING`,
    `INSERT INTO searchgate.removed_of_budgets SELECT ${organization}, 'budget-' || n, 1, 0, 0, 0, 0 ${rows}`,
    `INSERT INTO searchgate.budgets SELECT ${organization}, 'budget-' || n, 1, NULL, 'warn', n ${rows} ON CONFLICT DO NOTHING`,
    `INSERT INTO searchgate.organizations (id, created_at_ms, token)
      SELECT CASE n WHEN 1 THEN 'large' ELSE 'small-' || n END, n, gen_random_uuid() ${rows} ON CONFLICT DO NOTHING`,
    `INSERT INTO searchgate.api_keys (id, hash, organization_id, label, created_at_ms, token, budgets)
      SELECT 'key-' || n, lpad(n::text, 64, '0'), CASE WHEN n % 10 > 0 THEN 'large' ELSE 'small-' || n END, 'a key', n, gen_random_uuid(),
        CASE n % 2 WHEN 1 THEN ARRAY['budget-' || n] END ${rows}`,
    `INSERT INTO searchgate.tenant_keys SELECT 'small-' || n, 'exa', 'sealed', 'host-1', '9f3a', n ${rows}`,
    `INSERT INTO searchgate.requests (request_id, answer_id, at_ms, endpoint, key_id, organization_id, tag, model, provider, status, stream, loss, duration_ms,
        upstream_ms, attempts, budgets)
      SELECT 'req_' || n, 'ans_' || n, ${FIRST_MS} + n, 'answer', ${key}, ${organization}, CASE WHEN n % 1000 = 0 THEN 'rare' END, 'exa/' || n % 7, 'exa',
        CASE WHEN n % 100 = 0 THEN 502 ELSE 200 END, false, 0, 1, 1, '[]', ARRAY['budget-' || n % 7] ${rows}`,
    `INSERT INTO searchgate.request_sums SELECT CASE n % 2 WHEN 0 THEN 'calls' ELSE 'attempts' END, CASE WHEN n % 4 < 2 THEN 'hour' ELSE 'day' END,
        ${FIRST_MS} + n, 'answer', ${organization}, 'exa/' || n % 7, 'exa', 'answered', 1, 1, 0, array_fill(0::int8, ARRAY[17]) ${rows}`,
    `INSERT INTO searchgate.request_texts SELECT 'req_' || n, ${FIRST_MS} + n, ${organization}, ${key}, NULL, 'When?', 'Now.', false ${rows}`,
    `INSERT INTO searchgate.changes SELECT 'change_' || lpad(n::text, 10, '0'), ${organization}, '{}' ${rows}`,
  ];
  for (const statement of statements) await run(statement);
}
