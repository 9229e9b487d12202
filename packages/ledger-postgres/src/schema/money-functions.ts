/**
 * How a batch of verbs is applied, in one transaction: read it, lock the books it touches, take the time, then one verb after the other.
 *
 * The settings of `apply_verbs` keep its plans on the indexes. A plan is made once for each connection and kept: made while a table is small, it
 * would read the whole table, and go on doing so when the table has grown.
 */
export const MONEY_FUNCTIONS = /* sql */ `
CREATE FUNCTION server_now_ms() RETURNS int8 LANGUAGE sql VOLATILE AS $$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::int8
$$;

CREATE FUNCTION fits_int8(amount numeric) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT amount BETWEEN -9223372036854775808 AND 9223372036854775807
$$;

-- The first moment of the day, week (from Monday; the epoch was a Thursday) or month in UTC a moment falls into.
CREATE FUNCTION day_of(at_ms int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT at_ms - at_ms % 86400000
$$;
CREATE FUNCTION week_of(at_ms int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT at_ms - (at_ms + 259200000) % 604800000
$$;
CREATE FUNCTION month_of(at_ms int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$
  SELECT (extract(epoch FROM date_trunc('month', timestamp '1970-01-01' + at_ms / 86400000 * interval '1 day')) * 1000)::int8
$$;

-- What a key has used in the present window of a reset: nothing where it was last used before that.
CREATE FUNCTION window_usage(k key_usages, reset text, now_ms int8) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE reset
    WHEN 'daily' THEN CASE WHEN k.latest_entry_ms >= day_of(now_ms) THEN k.usage::numeric - k.usage_before_day ELSE 0 END
    WHEN 'weekly' THEN CASE WHEN k.latest_entry_ms >= week_of(now_ms) THEN k.usage::numeric - k.usage_before_week ELSE 0 END
    WHEN 'monthly' THEN CASE WHEN k.latest_entry_ms >= month_of(now_ms) THEN k.usage::numeric - k.usage_before_month ELSE 0 END
    ELSE k.usage::numeric
  END
$$;

CREATE FUNCTION key_totals(the_key text, reset text, given_now_ms int8) RETURNS json LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
DECLARE
  k key_usages;
BEGIN
  SELECT * INTO k FROM key_usages b WHERE b.key_id = the_key;
  IF NOT FOUND THEN RETURN '{}'::json; END IF;
  RETURN json_build_object('usage', k.usage::text, 'held', k.held::text,
    'windowUsage', window_usage(k, reset, coalesce(given_now_ms, server_now_ms()))::text);
END $$;

-- Writers of the log hold this lock together; whoever must know that none is under way takes it alone.
CREATE FUNCTION log_lock() RETURNS int8 LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN hashtextextended('searchgate.log.' || current_schema(), 0);
END $$;

CREATE FUNCTION apply_verbs(verbs json, given_now_ms int8, process_now_ms int8) RETURNS json LANGUAGE plpgsql
SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  skew_ms int8 := coalesce(server_now_ms() - process_now_ms, 0);
  batch verb[];
  results json[];
  now_ms int8;
  v verb;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(log_lock());
  batch := read_batch(verbs);
  PERFORM lock_books(batch);
  -- Only now: whoever had to wait for a lock is stamped after those who had it.
  now_ms := coalesce(given_now_ms, server_now_ms());
  results := array_fill(NULL::json, ARRAY[cardinality(batch)]);
  FOREACH v IN ARRAY batch LOOP
    results[v.ordinal] := CASE v.verb
      WHEN 'hold' THEN place_hold(v, now_ms, skew_ms)
      WHEN 'grant' THEN apply_grant(v, now_ms)
      WHEN 'adjust' THEN apply_adjustment(v, now_ms)
      ELSE end_hold(v, now_ms)
    END;
  END LOOP;
  RETURN array_to_json(results);
END $$;

-- In the order they are applied: all verbs of a batch are under way at the same time, so any order is right between organizations.
CREATE FUNCTION read_batch(verbs json) RETURNS verb[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN ARRAY(
    SELECT ROW(
      ordinal, v.verb, v.id, coalesce(v.organization_id, h.organization_id), coalesce(v.key_id, h.key_id), v.amount, v.key_limit,
      v.key_limit_reset, v.time_ms, v.model, v.provider, v.cost_source, v.note, v.losses, v.token
    )::verb
    FROM ROWS FROM (json_to_recordset(verbs) AS (
      verb text, id text, organization_id text, key_id text, amount int8, key_limit int8, key_limit_reset text, time_ms int8, model text,
      provider text, cost_source text, note text, losses json, token uuid
    )) WITH ORDINALITY AS v (
      verb, id, organization_id, key_id, amount, key_limit, key_limit_reset, time_ms, model, provider, cost_source, note, losses, token, ordinal
    )
    LEFT JOIN holds h ON v.organization_id IS NULL AND h.hold_id = v.id
    ORDER BY coalesce(v.organization_id, h.organization_id) COLLATE "C", ordinal
  );
END $$;

-- Makes the rows of counters a batch needs and locks them, always organizations before keys and each in order, so that batches cannot wait for
-- each other in a circle.
CREATE FUNCTION lock_books(batch verb[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  organizations text[] := ARRAY(SELECT DISTINCT b.organization_id COLLATE "C" FROM unnest(batch) b WHERE b.organization_id IS NOT NULL ORDER BY 1);
  keys text[] := ARRAY(SELECT DISTINCT b.key_id COLLATE "C" FROM unnest(batch) b WHERE b.key_id IS NOT NULL ORDER BY 1);
BEGIN
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

CREATE FUNCTION apply_grant(v verb, now_ms int8) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  books organization_balances;
  earlier entries;
BEGIN
  SELECT * INTO earlier FROM entries e WHERE e.id = v.id AND e.kind = 'grant';
  IF FOUND THEN RETURN json_build_object('applied', earlier.token = v.token); END IF;
  SELECT * INTO books FROM organization_balances o WHERE o.organization_id = v.organization_id;
  IF NOT fits_int8(books.credits::numeric + v.amount) THEN RETURN json_build_object('refused', 'invalid_amount'); END IF;
  INSERT INTO entries (at_ms, kind, id, organization_id, amount, note, token)
    VALUES (greatest(now_ms, books.latest_entry_ms), 'grant', v.id, v.organization_id, v.amount, v.note, v.token)
    ON CONFLICT (id, kind) DO NOTHING;
  IF NOT FOUND THEN RETURN json_build_object('applied', false); END IF;
  UPDATE organization_balances o SET credits = credits + v.amount, latest_entry_ms = greatest(now_ms, latest_entry_ms)
    WHERE o.organization_id = v.organization_id;
  RETURN json_build_object('applied', true);
END $$;

CREATE FUNCTION apply_adjustment(v verb, now_ms int8) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  earlier entries;
  books record;
BEGIN
  SELECT * INTO earlier FROM entries e WHERE e.id = v.id AND e.kind = 'adjustment';
  IF FOUND THEN RETURN json_build_object('applied', earlier.token = v.token); END IF;
  SELECT greatest(now_ms, o.latest_entry_ms, k.latest_entry_ms) AS stamp_ms,
    fits_int8(o.usage::numeric + v.amount) AND fits_int8(coalesce(k.usage, 0)::numeric + v.amount) AS has_room
    INTO books
    FROM organization_balances o LEFT JOIN key_usages k ON k.key_id = v.key_id WHERE o.organization_id = v.organization_id;
  IF NOT books.has_room THEN RETURN json_build_object('refused', 'invalid_amount'); END IF;
  INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, note, token)
    VALUES (books.stamp_ms, 'adjustment', v.id, v.organization_id, v.key_id, v.amount, v.note, v.token)
    ON CONFLICT (id, kind) DO NOTHING;
  IF NOT FOUND THEN RETURN json_build_object('applied', false); END IF;
  PERFORM count_usage(v, 0, books.stamp_ms);
  RETURN json_build_object('applied', true);
END $$;

-- Counts the amount of a verb as usage and frees what was held for it.
CREATE FUNCTION count_usage(v verb, freed int8, stamp_ms int8) RETURNS void LANGUAGE plpgsql AS $$
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
