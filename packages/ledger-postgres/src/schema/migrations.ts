import { USAGE_SUMS } from '@searchgate/core/ledger';
import { columnOf } from '../engine/column-of.js';
import { ADMISSION_FUNCTIONS } from './admission-functions.js';
import { BATCH_FUNCTIONS } from './batch-functions.js';
import { BUDGET_FUNCTIONS } from './budget-functions.js';
import { BUDGET_REGISTRY } from './budget-registry.js';
import { BUDGET_TABLES } from './budget-tables.js';
import { CLAIM_FUNCTIONS } from './claim-functions.js';
import { HOLD_FUNCTIONS } from './hold-functions.js';
import { KEY_FUNCTIONS } from './key-functions.js';
import { MONEY_FUNCTIONS } from './money-functions.js';
import { forgetter, ON_INDEXES, reader } from './on-indexes.js';
import { perWindow } from './per-window.js';
import { REQUEST_FUNCTIONS } from './request-functions.js';
import { PENDING_SUMS, REQUEST_SUM_FUNCTIONS, REQUEST_SUMS } from './request-sums.js';
import { REQUEST_TEXT_FUNCTIONS, REQUEST_TEXTS } from './request-texts.js';
import { TABLES } from './tables.js';
import { TENANT_KEY_FUNCTIONS } from './tenant-key-functions.js';
import { TENANT_TABLES } from './tenant-tables.js';
import { USAGE_FUNCTIONS } from './usage-functions.js';
import { WRITE_FUNCTIONS } from './write-functions.js';
import { WRITE_PROCEDURE } from './write-procedure.js';

/** How sums are read. */
const USAGE_READING = /* sql */ `
-- A page of groups, by the bytes of their names, those without a name last. A span is of one level and counts its periods once, or takes them away (sign).
-- Spans may be large, so their rows are found in an index and read page by page, which the planner has no other way to do.
CREATE OR REPLACE FUNCTION list_usage(
  by_what text, of_organization text, of_key text, spans json, after_group text, most int8, of_budget text DEFAULT NULL
) RETURNS json LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  answer json;
  grouped text := CASE by_what WHEN 'day' THEN 's.period' WHEN 'organization' THEN 's.organization_id' WHEN 'key' THEN 's.key_id'
    WHEN 'budget' THEN 'b.id' ELSE format('s.%I', by_what) END;
BEGIN
  EXECUTE format(
    $sql$
      SELECT coalesce(json_agg(page), '[]') FROM (
        SELECT nullif(name, '') AS "group", ${USAGE_SUMS.map((name) => `sum(sign * ${columnOf(name)})::text AS "${name}"`).join(', ')}
        FROM json_to_recordset($1) p (level text, "from" int4, "to" int4, sign int4), LATERAL (
          SELECT %1$s AS name, ${['entries', ...USAGE_SUMS.map(columnOf)].map((column) => `sum(s.${column}) AS ${column}`).join(', ')}
          FROM usage_sums s%4$s
          WHERE s.level = p.level AND s.period >= p."from" AND s.period < p."to" AND %3$s GROUP BY %2$s
        ) of_span
        WHERE name = '' OR $4 IS NULL OR name > $4
        GROUP BY name HAVING sum(sign * entries) > 0 ORDER BY name = '', name LIMIT $5
      ) page
    $sql$,
    CASE by_what WHEN 'day' THEN $name$to_char(date '1970-01-01' + s.period, 'YYYY-MM-DD') COLLATE "C"$name$ ELSE grouped END,
    grouped,
    CASE
      WHEN of_key IS NULL AND of_organization IS NULL THEN $condition$s.model >= ''$condition$
      WHEN of_key IS NULL THEN 's.organization_id = $2'
      WHEN of_organization IS NULL THEN $condition$s.key_id > '' AND s.key_id = $3$condition$
      ELSE 's.organization_id = $2 AND s.key_id = $3'
    END || CASE WHEN of_budget IS NULL THEN '' ELSE $condition$ AND $6 = ANY (string_to_array(s.budgets, ' '))$condition$ END,
    -- What is in no budget is in the group of the empty text.
    CASE by_what WHEN 'budget' THEN $from$, unnest(CASE s.budgets WHEN '' THEN ARRAY[''] ELSE string_to_array(s.budgets, ' ') END) b (id)$from$ ELSE '' END
  ) INTO answer USING spans, of_organization, of_key, after_group, most, of_budget;
  RETURN answer;
END $$;

${reader(
  'find_hold(the_hold text)',
  `SELECT json_build_object('organizationId', h.organization_id, 'keyId', h.key_id, 'status', h.status, 'cost', coalesce(h.charged, 0)::text,
      'model', coalesce(h.served_model, h.model), 'provider', h.provider, 'createdAtMs', h.created_at_ms, 'endedAtMs', h.ended_at_ms)
    FROM holds h WHERE h.hold_id = the_hold`,
)}`;

/** Adds charges that are removed to what was removed before of their owners. */
function addRemoved(table: string, owner: string, charges: string): string {
  return `INSERT INTO ${table} AS r (${owner}, usage, latest_entry_ms, ${perWindow('usage_before_@')})
    SELECT ${owner}, sum(amount), latest_ms, ${perWindow('coalesce(sum(amount) FILTER (WHERE at_ms < @_of(latest_ms)), 0)')}
    FROM (SELECT *, max(at_ms) OVER (PARTITION BY ${owner}) AS latest_ms FROM (${charges}) c) e GROUP BY ${owner}, latest_ms
    ON CONFLICT (${owner}) DO UPDATE SET usage = r.usage + excluded.usage, latest_entry_ms = excluded.latest_entry_ms,
      ${perWindow(`usage_before_@ = CASE WHEN @_of(excluded.latest_entry_ms) > r.latest_entry_ms
        THEN r.usage + excluded.usage_before_@ ELSE r.usage_before_@ END`)};`;
}

/** How the log is cut. */
const REMOVAL_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION lock_removal() RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock(hashtextextended('searchgate.removal.' || current_schema(), 0))
$$;

-- Removes what is among the next so many entries behind one place and up to another, and adds it to what was removed before. Grants and adjustments stay: no
-- sum has them. @returns how many entries were removed, and up to where; nothing is left where that is the place asked for.
CREATE OR REPLACE FUNCTION remove_entries(after_ms int8, after_position int8, to_ms int8, to_position int8, most int8) RETURNS json
LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  last_ms int8 := to_ms;
  last_position int8 := to_position;
  doomed entries[];
  removed int8;
BEGIN
  -- Processes take turns: the windows of a key move forward only.
  PERFORM lock_removal();
  SELECT e.at_ms, e.position INTO last_ms, last_position FROM entries e
    WHERE (e.at_ms, e.position) > (after_ms, after_position) AND (e.at_ms, e.position) <= (to_ms, to_position)
    ORDER BY e.at_ms, e.position OFFSET most - 1 LIMIT 1;
  IF NOT FOUND THEN
    last_ms := to_ms;
    last_position := to_position;
  END IF;
  WITH gone AS (
    DELETE FROM entries e
    WHERE (e.at_ms, e.position) > (after_ms, after_position) AND (e.at_ms, e.position) <= (last_ms, last_position)
      AND e.kind NOT IN ('grant', 'adjustment')
    RETURNING e
  )
  SELECT array_agg(e), count(*) INTO doomed, removed FROM gone;

  INSERT INTO removed_of_organizations AS r (organization_id, usage)
    SELECT e.organization_id, sum(e.amount) FROM unnest(doomed) e WHERE e.kind = 'charge' GROUP BY e.organization_id
    ON CONFLICT (organization_id) DO UPDATE SET usage = r.usage + excluded.usage;
  ${addRemoved('removed_of_keys', 'key_id', `SELECT c.key_id, c.at_ms, c.amount FROM unnest(doomed) c WHERE c.kind = 'charge'`)}
  ${addRemoved(
    'removed_of_budgets',
    'organization_id, budget_id',
    // Not as a join, which a planner might begin at the other end.
    `SELECT c.organization_id, i.budget_id, c.at_ms, c.amount FROM unnest(doomed) c, unnest(c.budgets) i (budget_id) WHERE c.kind = 'charge'
      AND c.at_ms >= (SELECT b.since_ms FROM budget_usages b WHERE b.organization_id = c.organization_id AND b.budget_id = i.budget_id)`,
  )}
  RETURN json_build_object('removed', removed, 'atMs', last_ms, 'position', last_position::text);
END $$;
`;

/** Totals and pages of the log. */
const READ_FUNCTIONS = /* sql */ `
${reader(
  'organization_totals(the_organization text)',
  `SELECT json_build_object('credits', o.credits::text, 'usage', o.usage::text, 'held', o.held::text)
    FROM organization_balances o WHERE o.organization_id = the_organization`,
)}
-- The latest window stays the present one where the clock has been set back. Of counters never seen there is the time alone.
CREATE OR REPLACE FUNCTION totals_json(k key_usages, reset text, now_ms int8) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('usage', k.usage::text, 'held', k.held::text, 'windowUsage', window_usage(k, reset, now_ms)::text,
    'nowMs', greatest(now_ms, k.latest_entry_ms))
$$;
${reader(
  'key_totals(the_key text, reset text, given_now_ms int8)',
  `SELECT totals_json((SELECT k FROM key_usages k WHERE k.key_id = the_key), reset, coalesce(given_now_ms, server_now_ms()))`,
)}${reader(
  'budget_totals(the_organization text, named json, given_now_ms int8)',
  `SELECT json_agg(totals_json(
      (SELECT as_key(b) FROM budget_usages b WHERE b.organization_id = the_organization AND b.budget_id = n.id),
      n.reset, coalesce(given_now_ms, server_now_ms())
    ) ORDER BY n.place)
    FROM ROWS FROM (json_to_recordset(named) AS (id text, reset text)) WITH ORDINALITY n (id, reset, place)`,
)}
-- At most so many entries behind a place and before a time, in their order: of all organizations, or of the organization, the key, or both that
-- are named, so that two of the three find nothing. Each compares whole rows of the one index that has its order, so it begins and ends in that index.
${reader(
  'list_entries(of_organization text, of_key text, after_ms int8, after_position int8, to_ms int8, most int8)',
  `SELECT coalesce(json_agg(json_build_object('kind', kind, 'id', id, 'organizationId', organization_id, 'keyId', key_id, 'amount', amount::text,
      'atMs', at_ms, 'position', position::text, 'note', note, 'model', model, 'provider', provider, 'costSource', cost_source,
      'upstreamCost', upstream_cost::text, 'tenantCost', tenant_cost::text, 'late', late, 'reason', reason, 'tag', tag, 'budgets', budgets)), '[]')
    FROM (
      (SELECT * FROM entries e
        WHERE e.key_id IS NOT NULL AND (e.key_id, e.at_ms, e.position) > (of_key COLLATE "C", after_ms, after_position)
          AND (e.key_id, e.at_ms) < (of_key COLLATE "C", to_ms) AND (of_organization IS NULL OR e.organization_id = of_organization)
        ORDER BY e.key_id, e.at_ms, e.position LIMIT most)
      UNION ALL
      (SELECT * FROM entries e
        WHERE of_key IS NULL AND (e.organization_id, e.at_ms, e.position) > (of_organization COLLATE "C", after_ms, after_position)
          AND (e.organization_id, e.at_ms) < (of_organization COLLATE "C", to_ms)
        ORDER BY e.organization_id, e.at_ms, e.position LIMIT most)
      UNION ALL
      (SELECT * FROM entries e
        WHERE of_key IS NULL AND of_organization IS NULL AND (e.at_ms, e.position) > (after_ms, after_position) AND e.at_ms < to_ms
        ORDER BY e.at_ms, e.position LIMIT most)
    ) page`,
)}
-- Waits until no writer of the log is under way. @returns the last position written until then: nothing will ever appear before it.
CREATE OR REPLACE FUNCTION settle_log() RETURNS int8 LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(log_lock());
  RETURN (SELECT last_value FROM entries_position_seq);
END $$;
`;

/** What a sweep does. */
const EXPIRY_FUNCTIONS = /* sql */ `
-- Ends at most so many of the holds that are due. @returns how many were found, and how many of them it ended.
CREATE OR REPLACE FUNCTION expire_due_holds(due_ms int8, most int8, given_now_ms int8, process_now_ms int8) RETURNS json
LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  due_by_server_ms int8 := due_ms + coalesce(server_now_ms() - process_now_ms, 0);
  operations json := coalesce((
    SELECT json_agg(json_build_object('operation', 'expire', 'id', due.hold_id, 'time_ms', due_by_server_ms))
    FROM (
      SELECT h.hold_id FROM holds h WHERE h.ended_at_ms IS NULL AND h.expires_at_ms <= due_by_server_ms ORDER BY h.expires_at_ms LIMIT most
    ) due
  ), '[]');
  results json := apply_operations(operations, given_now_ms, process_now_ms);
BEGIN
  RETURN json_build_object(
    'found', json_array_length(results),
    'ended', (SELECT count(*) FROM json_array_elements(results) r WHERE (r ->> 'first')::boolean)
  );
END $$;

-- Forgets at most so many holds that ended long ago. @returns how many it forgot.
${forgetter('forget_ended_holds(keep_ms int8, most int8, given_now_ms int8)', { table: 'holds', atMs: 'ended_at_ms', keepMs: 'keep_ms' })}`;

/** A step of the tables and types, and the oldest version of the package that may still read and write once it is taken. */
export interface Migration {
  /** Statements, run with the schema as `search_path`. */
  readonly step: string;
  readonly readableFrom: number;
  /** Its new tables, each with the one whose grants it gets. */
  readonly tables?: Readonly<Record<string, string>>;
}

/**
 * Every step, oldest first; a database is at the version that counts how many it has taken. A step that has been released never changes: what
 * follows is a new step at the end, also where only {@link ROUTINES} change. A step drops the functions whose arguments or result the routines
 * change.
 *
 * Processes of all versions from `readableFrom` on call the same functions. So an argument is only ever added, at the end and with a default, and
 * what reads an answer of before understands that of now. A change that cannot be made so takes two releases: the first adds what is new and works
 * with either, the second uses it and names the first as its `readableFrom`.
 */
export const MIGRATIONS: readonly Migration[] = [
  { step: TABLES, readableFrom: 1 },
  { step: 'ALTER TABLE schema_version ADD COLUMN readable_from int4 NOT NULL DEFAULT 1', readableFrom: 1 },
  {
    step: BUDGET_TABLES,
    readableFrom: 2,
    tables: { budget_usages: 'key_usages', removed_of_budgets: 'removed_of_keys', budgets: 'claims' },
  },
  // Budgets are enforced: version 2 knows none.
  { step: '', readableFrom: 3 },
  // Their settings are refused while a version that passes them over lives, so one release is enough.
  { step: TENANT_TABLES, readableFrom: 4, tables: { tenant_keys: 'claims' } },
  { step: REQUEST_SUMS, readableFrom: 5, tables: { request_sums: 'usage_sums' } },
  // Pages of calls may have attempts.
  { step: REQUEST_TEXTS, readableFrom: 6, tables: { request_texts: 'requests' } },
  // Version 7 does not see sums that are not merged yet, so its statistics lag behind while it lives.
  { step: PENDING_SUMS, readableFrom: 7, tables: { pending_sums: 'usage_sums' } },
];

/**
 * All functions of the present version, which every migration creates again, in an order in which those in SQL find what they call. `@schema@` and
 * `@version@` stand for the schema's name and version, `@look_for_version@` for the check of the caller's.
 */
export const ROUTINES: readonly string[] = [
  MONEY_FUNCTIONS,
  ADMISSION_FUNCTIONS,
  BATCH_FUNCTIONS,
  BUDGET_FUNCTIONS,
  HOLD_FUNCTIONS,
  WRITE_FUNCTIONS,
  EXPIRY_FUNCTIONS,
  USAGE_FUNCTIONS,
  REMOVAL_FUNCTIONS,
  READ_FUNCTIONS,
  USAGE_READING,
  CLAIM_FUNCTIONS,
  BUDGET_REGISTRY,
  KEY_FUNCTIONS,
  TENANT_KEY_FUNCTIONS,
  REQUEST_FUNCTIONS,
  REQUEST_SUM_FUNCTIONS,
  REQUEST_TEXT_FUNCTIONS,
  WRITE_PROCEDURE,
];

/** The version of the schema this package works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;
