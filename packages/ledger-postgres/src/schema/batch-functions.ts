import { ON_INDEXES } from './on-indexes.js';
import { perWindow } from './per-window.js';

/** The operations as they were sent, with the organization, the key and the budgets of the holds that are ended. */
const SENT = `(
    SELECT v.*, coalesce(v.organization_id, h.organization_id) AS of_organization, coalesce(v.key_id, h.key_id) AS of_key,
      coalesce(v.budget_ids, h.budgets) AS of_budgets
    FROM ROWS FROM (json_to_recordset(operations) AS (
      operation text, id text, organization_id text, key_id text, amount int8, key_limit int8, key_limit_reset text, operator_pays boolean, time_ms int8,
      model text, provider text, cost_source text, note text, losses json, token uuid, acceptable_amounts int8[], uses_slot boolean,
      key_max_concurrent int8, organization_max_concurrent int8, key_rate rate_limit, organization_rate rate_limit, upstream_cost int8, tag text,
      budget_ids text[], budget_limits budget_limit[], tenant_cost int8
    )) WITH ORDINALITY v
    LEFT JOIN holds h ON v.organization_id IS NULL AND h.hold_id = v.id
  ) v`;

/**
 * Operations that name the same id come in turns, since each has to see what the one before has written; so do those of one key for several
 * organizations.
 */
const TURN = `1000 * row_number() OVER (PARTITION BY coalesce(id, ordinality::text) COLLATE "C" ORDER BY ordinality)
      + dense_rank() OVER (PARTITION BY coalesce(of_key, ordinality::text) COLLATE "C" ORDER BY of_organization COLLATE "C")`;

/** One of {@link SENT} in the order of the type's attributes. */
function operationOf(turn: string): string {
  return `ROW(
      ordinality, operation, id, of_organization, of_key, amount, key_limit, key_limit_reset, coalesce(operator_pays, false),
      CASE operation WHEN 'hold' THEN time_ms + skew_ms ELSE time_ms END, model, provider, cost_source, note, losses, token, acceptable_amounts,
      coalesce(uses_slot, true), key_max_concurrent, organization_max_concurrent, key_rate, organization_rate, upstream_cost, ${turn}, tag,
      of_budgets, budget_limits, tenant_cost
    )::operation`;
}

/** Locks the rows of counters with these ids, and makes the missing ones. */
function lockRows(table: string, id: string, ids: string): string {
  return `LOOP
    PERFORM FROM ${table} r WHERE r.${id} = ANY (${ids}) ORDER BY r.${id} FOR NO KEY UPDATE;
    GET DIAGNOSTICS locked = ROW_COUNT;
    EXIT WHEN locked = cardinality(${ids});
    INSERT INTO ${table} (${id})
      SELECT missing FROM unnest(${ids}) missing
      WHERE NOT EXISTS (SELECT FROM ${table} r WHERE r.${id} = missing) ORDER BY missing COLLATE "C"
      ON CONFLICT DO NOTHING;
    has_new := has_new OR FOUND;
  END LOOP;`;
}

/**
 * How a batch of operations is applied, in one transaction: read it, lock the counters it touches, take the time, decide one operation after the other,
 * and write what has changed. The counters are variables in between, and each table is written once for all operations: a statement for each would cost more
 * than all the rest, and every further version of one row makes it slower to find.
 */
export const BATCH_FUNCTIONS = /* sql */ `
-- Writers of the log hold this lock together; a reader that must know that none is under way takes it alone.
CREATE OR REPLACE FUNCTION log_lock() RETURNS int8 LANGUAGE sql STABLE AS $$
  SELECT hashtextextended('searchgate.log.' || current_schema(), 0)
$$;

CREATE OR REPLACE FUNCTION apply_operations(operations json, given_now_ms int8, process_now_ms int8) RETURNS json LANGUAGE plpgsql
${ON_INDEXES} AS $$
DECLARE
  batch operation[];
  answers json[];
  has_new boolean;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(log_lock());
  batch := read_batch(operations, coalesce(server_now_ms() - process_now_ms, 0));
  has_new := lock_books(batch);
  -- Only now is the time taken: a batch that had to wait for a lock is stamped after those that had it.
  answers := apply_batch(batch, coalesce(given_now_ms, server_now_ms()));
  -- Of a key or an organization whose only operations were refused nothing is kept.
  IF has_new THEN PERFORM forget_counters(0, NULL); END IF;
  RETURN array_to_json(answers);
END $$;

-- In the order they are applied: all operations of a batch are under way at the same time, so any order is right. Turns are for few batches, and to number
-- them takes as long as to read the operations.
CREATE OR REPLACE FUNCTION read_batch(operations json, skew_ms int8) RETURNS operation[] LANGUAGE plpgsql AS $$
DECLARE
  batch operation[] := ARRAY(SELECT ${operationOf('1')} FROM ${SENT} ORDER BY of_organization COLLATE "C", of_key COLLATE "C", ordinality);
BEGIN
  IF cardinality(batch) = 1 OR NOT needs_turns(batch) THEN RETURN batch; END IF;
  RETURN ARRAY(
    SELECT ${operationOf('turn')} FROM (SELECT *, ${TURN} AS turn FROM ${SENT}) v
    ORDER BY turn, of_organization COLLATE "C", of_key COLLATE "C", ordinality
  );
END $$;

-- Whether several operations name the same id, or the same key for several organizations.
CREATE OR REPLACE FUNCTION needs_turns(batch operation[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (SELECT FROM unnest(batch) b GROUP BY b.id HAVING count(b.id) > 1)
    OR EXISTS (SELECT FROM unnest(batch) b GROUP BY b.key_id HAVING b.key_id IS NOT NULL
      AND min(b.organization_id COLLATE "C") IS DISTINCT FROM max(b.organization_id COLLATE "C"));
END $$;

-- Decides one operation after the other, turn by turn, and writes what they come to. @returns their answers.
CREATE OR REPLACE FUNCTION apply_batch(batch operation[], now_ms int8) RETURNS json[] LANGUAGE plpgsql AS $$
DECLARE
  answers json[] := array_fill(NULL::json, ARRAY[cardinality(batch)]);
  done int4 := 0;
  first int4;
  this_turn int8;
  r record;
  v operation;
  x outcome;
  o organization_balances;
  k key_usages;
  b key_usages[];
  organizations organization_balances[];
  keys key_usages[];
  -- The counters of all budgets of a turn, and where each is, since a search would take longer than all the rest. Null until an operation names one.
  budgets budget_usages[];
  places jsonb;
  at int4[];
  placed holds[];
  ended holds[];
  written entries[];
BEGIN
  WHILE done < cardinality(batch) LOOP
    first := done + 1;
    this_turn := (batch[first]).turn;
    FOR r IN
      SELECT batch[b.ordinality::int4] AS v, h, e, of_organization, of_key
      FROM unnest(batch) WITH ORDINALITY b
        -- Those of the operation before are at hand.
        LEFT JOIN organization_balances of_organization ON of_organization.organization_id = CASE
          WHEN b.ordinality = first OR b.organization_id IS DISTINCT FROM (batch[b.ordinality::int4 - 1]).organization_id THEN b.organization_id END
        LEFT JOIN key_usages of_key ON of_key.key_id = CASE
          WHEN b.ordinality = first OR b.key_id IS DISTINCT FROM (batch[b.ordinality::int4 - 1]).key_id THEN b.key_id END
        LEFT JOIN holds h ON h.hold_id = b.id
        -- The entry that has used up the id. Of a hold that ended long ago only its charge is left.
        LEFT JOIN entries e ON e.id = b.id AND e.kind = CASE b.operation
          WHEN 'hold' THEN 'charge' WHEN 'grant' THEN 'grant' WHEN 'adjust' THEN 'adjustment' END
          AND (b.operation = 'hold' OR e.organization_id = b.organization_id)
      WHERE b.turn = this_turn ORDER BY b.ordinality
    LOOP
      v := r.v;
      -- In a turn all operations of an organization come together, and of each organization all those of a key.
      IF v.organization_id IS DISTINCT FROM o.organization_id THEN
        IF o.organization_id IS NOT NULL THEN organizations := organizations || o; END IF;
        o := r.of_organization;
      END IF;
      IF v.key_id IS DISTINCT FROM k.key_id THEN
        IF k.key_id IS NOT NULL THEN keys := keys || k; END IF;
        k := r.of_key;
      END IF;
      -- For an operation without budgets b is of another, and not read.
      IF v.budget_ids IS NOT NULL THEN
        IF places IS NULL THEN
          budgets := read_budgets(batch, this_turn);
          places := (SELECT jsonb_object_agg(c.organization_id || ' ' || c.budget_id, c.ordinality) FROM unnest(budgets) WITH ORDINALITY c);
        END IF;
        b := '{}';
        FOR n IN 1 .. cardinality(v.budget_ids) LOOP
          at[n] := places ->> (v.organization_id || ' ' || v.budget_ids[n]);
          b[n] := as_key(budgets[at[n]]);
        END LOOP;
      END IF;
      x := CASE v.operation
        WHEN 'hold' THEN place_hold(v, o, k, b, r.h, r.e, now_ms)
        WHEN 'admit' THEN admit_request(v, o, k, now_ms)
        WHEN 'grant' THEN apply_entry(v, o, k, b, r.e, now_ms)
        WHEN 'adjust' THEN apply_entry(v, o, k, b, r.e, now_ms)
        ELSE end_hold(v, o, k, b, r.h, now_ms)
      END;
      done := done + 1;
      answers[v.ordinal] := x.answer;
      o := count_in_organization(o, x, v.organization_rate, now_ms);
      k := count_in_key(k, x, v.key_rate, now_ms);
      IF x.is_counted AND v.budget_ids IS NOT NULL THEN
        FOR n IN 1 .. cardinality(b) LOOP
          IF b[n].forget_at_ms = 0 THEN o.budgets := o.budgets + 1; END IF;
          budgets[at[n]] := count_in_budget(budgets[at[n]], x, v.budget_limits[n].is_kept, now_ms);
        END LOOP;
      END IF;
      IF (x.hold).hold_id IS NOT NULL THEN
        IF v.operation = 'hold' THEN placed := placed || x.hold; ELSE ended := ended || x.hold; END IF;
      END IF;
      IF x.more_entries IS NOT NULL THEN written := written || x.more_entries; END IF;
      IF (x.entry).id IS NOT NULL THEN written := written || x.entry; END IF;
    END LOOP;
    PERFORM write_counters(organizations || o, keys || k);
    IF places IS NOT NULL THEN PERFORM write_budgets(budgets); END IF;
    PERFORM write_holds(placed, ended);
    PERFORM write_entries(written);
    PERFORM add_to_sums(written);
    IF done < cardinality(batch) THEN
      o := NULL; k := NULL; places := NULL; organizations := NULL; keys := NULL; placed := NULL; ended := NULL; written := NULL;
    END IF;
  END LOOP;
  RETURN answers;
END $$;

-- Makes the rows of counters a batch needs and locks them, always organizations before keys and each in order, so that batches cannot wait for
-- each other in a circle. The lock of an organization is that of its budgets. @returns whether it made any.
CREATE OR REPLACE FUNCTION lock_books(batch operation[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  organizations text[];
  keys text[];
  locked int8;
  has_new boolean := false;
BEGIN
  IF cardinality(batch) = 1 THEN
    -- An operation that comes alone needs no sorting.
    organizations := array_remove(ARRAY[(batch[1]).organization_id], NULL);
    keys := array_remove(ARRAY[(batch[1]).key_id], NULL);
  ELSE
    organizations := ARRAY(SELECT DISTINCT b.organization_id COLLATE "C" FROM unnest(batch) b WHERE b.organization_id IS NOT NULL ORDER BY 1);
    keys := ARRAY(SELECT DISTINCT b.key_id COLLATE "C" FROM unnest(batch) b WHERE b.key_id IS NOT NULL ORDER BY 1);
  END IF;
  -- Rows are there as a rule. One that is missing is made; it may be forgotten again by a sweep before it is locked.
  ${lockRows('organization_balances', 'organization_id', 'organizations')}
  ${lockRows('key_usages', 'key_id', 'keys')}
  RETURN has_new;
END $$;

-- Adds what an operation comes to. A row that is for money is never forgotten; one that is for a rate alone, when the rate has drained. A single
-- expression each, in the order of the columns: PostgreSQL prepares every expression once for each transaction, which is what a lone call waits for.
CREATE OR REPLACE FUNCTION count_in_organization(o organization_balances, x outcome, rate rate_limit, now_ms int8) RETURNS organization_balances
LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(
    o.organization_id,
    o.credits + coalesce(x.credits, 0),
    o.usage + coalesce(x.usage, 0),
    o.held + coalesce(x.held, 0),
    coalesce(x.stamp_ms, o.latest_entry_ms),
    o.in_flight + coalesce(x.in_flight, 0),
    coalesce(x.organization_rate_used, o.rate_used),
    CASE WHEN x.organization_rate_used IS NULL THEN o.rate_at_ms ELSE now_ms END,
    coalesce(drained_at_ms(x.organization_rate_used, rate, now_ms), o.rate_drains_at_ms),
    CASE WHEN x.is_counted OR o.forget_at_ms IS NULL THEN NULL
      ELSE coalesce(drained_at_ms(x.organization_rate_used, rate, now_ms), o.forget_at_ms) END,
    o.budgets
  )::organization_balances
$$;

CREATE OR REPLACE FUNCTION count_in_key(k key_usages, x outcome, rate rate_limit, now_ms int8) RETURNS key_usages LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(
    k.key_id,
    k.usage + coalesce(x.usage, 0),
    k.held + coalesce(x.held, 0),
    coalesce(x.stamp_ms, k.latest_entry_ms),
    ${perWindow('CASE WHEN @_of(x.stamp_ms) > k.latest_entry_ms THEN k.usage ELSE k.usage_before_@ END')},
    k.in_flight + coalesce(x.in_flight, 0),
    coalesce(x.key_rate_used, k.rate_used),
    CASE WHEN x.key_rate_used IS NULL THEN k.rate_at_ms ELSE now_ms END,
    coalesce(drained_at_ms(x.key_rate_used, rate, now_ms), k.rate_drains_at_ms),
    CASE WHEN x.is_counted OR k.forget_at_ms IS NULL THEN NULL
      ELSE coalesce(drained_at_ms(x.key_rate_used, rate, now_ms), k.forget_at_ms) END
  )::key_usages
$$;
`;
