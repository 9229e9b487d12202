import { ON_INDEXES } from './on-indexes.js';

/** How a batch of operations is applied, in one transaction: read it, lock the counters it touches, take the time, then one operation after the other. */
export const MONEY_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION server_now_ms() RETURNS int8 LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::int8
$$;

-- Whether a total can be kept: all ledgers have the same bounds. It names its argument once, or PostgreSQL would call it instead of writing it out.
CREATE OR REPLACE FUNCTION is_total(amount numeric) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT abs(amount) <= 9223372036854775807
$$;

-- The first moment of the day, week (from Monday; the epoch was a Thursday) or month in UTC a moment falls into.
CREATE OR REPLACE FUNCTION day_of(at_ms int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT at_ms - at_ms % 86400000
$$;
CREATE OR REPLACE FUNCTION week_of(at_ms int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT at_ms - (at_ms + 259200000) % 604800000
$$;
CREATE OR REPLACE FUNCTION month_of(at_ms int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(epoch FROM date_trunc('month', timestamp '1970-01-01' + at_ms / 86400000 * interval '1 day')) * 1000)::int8
$$;

-- What a key has used in the present window of a reset: nothing where it was last used before that.
CREATE OR REPLACE FUNCTION window_usage(k key_usages, reset text, now_ms int8) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE reset
    WHEN 'daily' THEN CASE WHEN k.latest_entry_ms >= day_of(now_ms) THEN k.usage::numeric - k.usage_before_day ELSE 0 END
    WHEN 'weekly' THEN CASE WHEN k.latest_entry_ms >= week_of(now_ms) THEN k.usage::numeric - k.usage_before_week ELSE 0 END
    WHEN 'monthly' THEN CASE WHEN k.latest_entry_ms >= month_of(now_ms) THEN k.usage::numeric - k.usage_before_month ELSE 0 END
    ELSE k.usage::numeric
  END
$$;

-- Whether an amount can be counted as usage of an organization and, where one is given, of a key: in all, and in each present window.
CREATE OR REPLACE FUNCTION can_be_used(amount int8, usage int8, k key_usages, now_ms int8) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT is_total(usage::numeric + amount) AND (k.key_id IS NULL OR is_total(k.usage::numeric + amount)
    AND is_total(window_usage(k, 'daily', now_ms) + amount)
    AND is_total(window_usage(k, 'weekly', now_ms) + amount)
    AND is_total(window_usage(k, 'monthly', now_ms) + amount))
$$;

-- Writers of the log hold this lock together; a reader that must know that none is under way takes it alone.
CREATE OR REPLACE FUNCTION log_lock() RETURNS int8 LANGUAGE sql STABLE AS $$
  SELECT hashtextextended('searchgate.log.' || current_schema(), 0)
$$;

CREATE OR REPLACE FUNCTION apply_operations(operations json, given_now_ms int8, process_now_ms int8) RETURNS json LANGUAGE plpgsql
${ON_INDEXES} AS $$
DECLARE
  skew_ms int8 := coalesce(server_now_ms() - process_now_ms, 0);
  batch operation[];
  results json[];
  now_ms int8;
  v operation;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(log_lock());
  batch := read_batch(operations);
  PERFORM lock_books(batch);
  -- Only now: a batch that had to wait for a lock is stamped after those that had it.
  now_ms := coalesce(given_now_ms, server_now_ms());
  results := array_fill(NULL::json, ARRAY[cardinality(batch)]);
  FOREACH v IN ARRAY batch LOOP
    results[v.ordinal] := CASE v.operation
      WHEN 'hold' THEN place_hold(v, now_ms, skew_ms)
      WHEN 'grant' THEN apply_grant(v, now_ms)
      WHEN 'adjust' THEN apply_adjustment(v, now_ms)
      ELSE end_hold(v, now_ms)
    END;
  END LOOP;
  RETURN array_to_json(results);
END $$;

-- In the order they are applied: all operations of a batch are under way at the same time, so any order is right between organizations.
CREATE OR REPLACE FUNCTION read_batch(operations json) RETURNS operation[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN ARRAY(
    SELECT ROW(
      ordinal, v.operation, v.id, coalesce(v.organization_id, h.organization_id), coalesce(v.key_id, h.key_id), v.amount, v.key_limit,
      v.key_limit_reset, v.time_ms, v.model, v.provider, v.cost_source, v.note, v.losses, v.token, v.smaller_amounts
    )::operation
    FROM ROWS FROM (json_to_recordset(operations) AS (
      operation text, id text, organization_id text, key_id text, amount int8, key_limit int8, key_limit_reset text, time_ms int8, model text,
      provider text, cost_source text, note text, losses json, token uuid, smaller_amounts int8[]
    )) WITH ORDINALITY AS v (
      operation, id, organization_id, key_id, amount, key_limit, key_limit_reset, time_ms, model, provider, cost_source, note, losses, token,
      smaller_amounts, ordinal
    )
    LEFT JOIN holds h ON v.organization_id IS NULL AND h.hold_id = v.id
    ORDER BY coalesce(v.organization_id, h.organization_id) COLLATE "C", ordinal
  );
END $$;

-- Makes the rows of counters a batch needs and locks them, always organizations before keys and each in order, so that batches cannot wait for
-- each other in a circle.
CREATE OR REPLACE FUNCTION lock_books(batch operation[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  organizations text[];
  keys text[];
BEGIN
  IF cardinality(batch) = 1 THEN
    -- An operation that comes alone needs no sorting.
    organizations := array_remove(ARRAY[(batch[1]).organization_id], NULL);
    keys := array_remove(ARRAY[(batch[1]).key_id], NULL);
  ELSE
    organizations := ARRAY(SELECT DISTINCT b.organization_id COLLATE "C" FROM unnest(batch) b WHERE b.organization_id IS NOT NULL ORDER BY 1);
    keys := ARRAY(SELECT DISTINCT b.key_id COLLATE "C" FROM unnest(batch) b WHERE b.key_id IS NOT NULL ORDER BY 1);
  END IF;
  INSERT INTO organization_balances (organization_id)
    SELECT id FROM unnest(organizations) id
    WHERE NOT EXISTS (SELECT FROM organization_balances o WHERE o.organization_id = id) ORDER BY id COLLATE "C"
    ON CONFLICT DO NOTHING;
  INSERT INTO key_usages (key_id)
    SELECT id FROM unnest(keys) id
    WHERE NOT EXISTS (SELECT FROM key_usages k WHERE k.key_id = id) ORDER BY id COLLATE "C"
    ON CONFLICT DO NOTHING;
  PERFORM FROM organization_balances o WHERE o.organization_id = ANY (organizations) ORDER BY o.organization_id FOR NO KEY UPDATE;
  PERFORM FROM key_usages k WHERE k.key_id = ANY (keys) ORDER BY k.key_id FOR NO KEY UPDATE;
END $$;

CREATE OR REPLACE FUNCTION apply_grant(v operation, now_ms int8) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  earlier json := repeated_entry(v, 'grant');
  books organization_balances;
BEGIN
  IF earlier IS NOT NULL THEN RETURN earlier; END IF;
  SELECT * INTO books FROM organization_balances o WHERE o.organization_id = v.organization_id;
  IF NOT is_total(books.credits::numeric + v.amount) THEN RETURN json_build_object('refused', 'invalid_amount'); END IF;
  INSERT INTO entries (at_ms, kind, id, organization_id, amount, note, token)
    VALUES (greatest(now_ms, books.latest_entry_ms), 'grant', v.id, v.organization_id, v.amount, v.note, v.token)
    ON CONFLICT (id, kind) DO NOTHING;
  IF NOT FOUND THEN RETURN repeated_entry(v, 'grant'); END IF;
  UPDATE organization_balances o SET credits = credits + v.amount, latest_entry_ms = greatest(now_ms, latest_entry_ms)
    WHERE o.organization_id = v.organization_id;
  RETURN json_build_object('applied', true);
END $$;

CREATE OR REPLACE FUNCTION apply_adjustment(v operation, now_ms int8) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  earlier json := repeated_entry(v, 'adjustment');
  books record;
BEGIN
  IF earlier IS NOT NULL THEN RETURN earlier; END IF;
  SELECT o.usage, k AS of_key, greatest(now_ms, o.latest_entry_ms, k.latest_entry_ms) AS stamp_ms INTO books
    FROM organization_balances o LEFT JOIN key_usages k ON k.key_id = v.key_id WHERE o.organization_id = v.organization_id;
  IF NOT can_be_used(v.amount, books.usage, books.of_key, books.stamp_ms) THEN RETURN json_build_object('refused', 'invalid_amount'); END IF;
  INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, note, token)
    VALUES (books.stamp_ms, 'adjustment', v.id, v.organization_id, v.key_id, v.amount, v.note, v.token)
    ON CONFLICT (id, kind) DO NOTHING;
  IF NOT FOUND THEN RETURN repeated_entry(v, 'adjustment'); END IF;
  PERFORM count_usage(v, 0, books.stamp_ms);
  RETURN json_build_object('applied', true);
END $$;

-- What a grant or an adjustment is answered whose id was used before; null where it was not.
CREATE OR REPLACE FUNCTION repeated_entry(v operation, the_kind text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  earlier entries;
BEGIN
  SELECT * INTO earlier FROM entries e WHERE e.id = v.id AND e.kind = the_kind;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF (earlier.organization_id, earlier.key_id, earlier.amount) IS DISTINCT FROM (v.organization_id, v.key_id, v.amount) THEN
    RETURN json_build_object('refused', 'duplicate_' || the_kind);
  END IF;
  -- A call that is sent again after its answer was lost has the token of the first time.
  RETURN json_build_object('applied', coalesce(earlier.token = v.token, false));
END $$;

-- Counts the amount of an operation as usage and frees what was held for it.
CREATE OR REPLACE FUNCTION count_usage(v operation, freed int8, stamp_ms int8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE organization_balances o SET usage = usage + v.amount, held = held - freed, latest_entry_ms = stamp_ms
    WHERE o.organization_id = v.organization_id;
  UPDATE key_usages k SET
    usage = usage + v.amount,
    held = held - freed,
    latest_entry_ms = stamp_ms,
    usage_before_day = CASE WHEN day_of(stamp_ms) > latest_entry_ms THEN usage ELSE usage_before_day END,
    usage_before_week = CASE WHEN week_of(stamp_ms) > latest_entry_ms THEN usage ELSE usage_before_week END,
    usage_before_month = CASE WHEN month_of(stamp_ms) > latest_entry_ms THEN usage ELSE usage_before_month END
  WHERE k.key_id = v.key_id;
END $$;
`;
