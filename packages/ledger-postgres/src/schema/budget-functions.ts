import { BUDGET_IDLE_DAYS, MAX_BUDGETS } from '@searchgate/core/ledger';
import { ON_INDEXES } from './on-indexes.js';

/** Counters of budgets: the array `b` has those of an operation, in the order of its ids; null where it names none. */
export const BUDGET_FUNCTIONS = /* sql */ `
-- The counters as those of a key, whose windows are the same.
CREATE OR REPLACE FUNCTION as_key(b budget_usages) RETURNS key_usages LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(b.budget_id, b.usage, b.held, b.latest_entry_ms, b.usage_before_day, b.usage_before_week, b.usage_before_month, 0, 0, 0, 0, NULL)::key_usages
$$;

-- The counters of all budgets that the operations of a turn name. Of one that is not made yet since_ms is null.
CREATE OR REPLACE FUNCTION read_budgets(batch operation[], this_turn int8) RETURNS budget_usages[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN ARRAY(
    SELECT coalesce(b, ROW(n.organization_id, n.budget_id, 0, 0, 0, 0, 0, 0, NULL, NULL)::budget_usages)
    FROM (SELECT DISTINCT v.organization_id, unnest(v.budget_ids) AS budget_id FROM unnest(batch) v WHERE v.turn = this_turn) n
      LEFT JOIN budget_usages b ON b.organization_id = n.organization_id AND b.budget_id = n.budget_id
  );
END $$;

-- Where each of them is: a search of the array for every operation would take longer than all the rest.
CREATE OR REPLACE FUNCTION places_of(counters budget_usages[]) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT jsonb_object_agg(c.organization_id || ' ' || c.budget_id, c.ordinality) FROM unnest(counters) WITH ORDINALITY c);
END $$;

CREATE OR REPLACE FUNCTION places_in(places jsonb, v operation) RETURNS int4[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN ARRAY(
    SELECT (places ->> (v.organization_id || ' ' || i.id))::int4 FROM unnest(v.budget_ids) WITH ORDINALITY i (id, ordinality) ORDER BY i.ordinality
  );
END $$;

CREATE OR REPLACE FUNCTION pick(counters budget_usages[], places int4[]) RETURNS budget_usages[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN ARRAY(SELECT counters[p.place] FROM unnest(places) WITH ORDINALITY p (place, ordinality) ORDER BY p.ordinality);
END $$;

-- The least room under the limits, with what is held or without it.
CREATE OR REPLACE FUNCTION room_in_budgets(limits budget_limit[], b budget_usages[], now_ms int8, is_held boolean) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (
    SELECT min(l.amount - window_usage(as_key(b[l.place]), l.reset, now_ms) - CASE WHEN is_held THEN b[l.place].held ELSE 0 END) FROM unnest(limits) l
  );
END $$;

-- The refusal by the first limit there is no room under.
CREATE OR REPLACE FUNCTION refused_by_budget(v operation, b budget_usages[], fits_without_holds boolean, now_ms int8, rates_used json) RETURNS json
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT json_build_object('by', 'budget', 'budget', v.budget_ids[l.place], 'limit', l.amount::text,
      'usage', window_usage(as_key(b[l.place]), l.reset, now_ms)::text, 'held', b[l.place].held::text, 'amount', v.amount::text,
      'nowMs', greatest(now_ms, b[l.place].latest_entry_ms), 'fitsWithoutHolds', fits_without_holds, 'ratesUsed', rates_used)
    FROM unnest(v.budget_limits) WITH ORDINALITY l
    WHERE room_in_budgets(ARRAY[ROW(l.place, l.amount, l.reset)::budget_limit], b, now_ms, true) < v.amount ORDER BY l.ordinality LIMIT 1
  );
END $$;

-- Whether these amounts can be counted in all of them.
CREATE OR REPLACE FUNCTION can_be_counted(b budget_usages[], held int8, used int8, now_ms int8) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT bool_and(is_total(c.held::numeric + can_be_counted.held) AND can_be_used(used, 0, as_key(c), now_ms)) FROM unnest(b) c);
END $$;

-- Whether the organization may have those of them that are not made yet.
CREATE OR REPLACE FUNCTION has_room_for(b budget_usages[], o organization_balances) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT o.budgets + count(*) <= ${MAX_BUDGETS} OR count(*) = 0 FROM unnest(b) c WHERE c.since_ms IS NULL);
END $$;

-- The counters once an operation is counted.
CREATE OR REPLACE FUNCTION count_in_budget(b budget_usages, x outcome, is_kept boolean, now_ms int8) RETURNS budget_usages LANGUAGE plpgsql AS $$
DECLARE
  k key_usages := count_in_key(as_key(b), x, NULL, now_ms);
BEGIN
  RETURN ROW(
    b.organization_id, b.budget_id, k.usage, k.held, k.latest_entry_ms, k.usage_before_day, k.usage_before_week, k.usage_before_month,
    -- Where the clock was set back, its first entry may be earlier than the hold it was made for.
    least(coalesce(b.since_ms, now_ms), x.stamp_ms),
    CASE WHEN NOT coalesce(is_kept, false) AND (b.since_ms IS NULL OR b.used_day IS NOT NULL) THEN (coalesce(x.stamp_ms, now_ms) / 86400000)::int4 END
  )::budget_usages;
END $$;

CREATE OR REPLACE FUNCTION write_budgets(counters budget_usages[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO budget_usages AS b SELECT c.* FROM unnest(counters) c WHERE c.since_ms IS NOT NULL
    ON CONFLICT (organization_id, budget_id) DO UPDATE SET usage = excluded.usage, held = excluded.held, latest_entry_ms = excluded.latest_entry_ms,
      usage_before_day = excluded.usage_before_day, usage_before_week = excluded.usage_before_week, usage_before_month = excluded.usage_before_month,
      since_ms = excluded.since_ms, used_day = excluded.used_day
    WHERE b IS DISTINCT FROM excluded;
END $$;

-- Forgets at most so many that were idle, and what was removed of them: of a budget that begins again the log before it says nothing.
CREATE OR REPLACE FUNCTION forget_budgets(now_ms int8, most int8) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
  idle budget_usages[] := ARRAY(
    SELECT b FROM budget_usages b WHERE b.used_day < (now_ms / 86400000)::int4 - ${BUDGET_IDLE_DAYS} AND b.held = 0 ORDER BY b.used_day LIMIT most
  );
  gone record;
  forgotten int8 := 0;
BEGIN
  IF cardinality(idle) = 0 THEN RETURN 0; END IF;
  PERFORM lock_removal();
  PERFORM FROM organization_balances o WHERE o.organization_id = ANY (ARRAY(SELECT b.organization_id FROM unnest(idle) b))
    ORDER BY o.organization_id FOR NO KEY UPDATE;
  FOR gone IN
    WITH gone AS (
      DELETE FROM budget_usages b USING unnest(idle) i
        WHERE b.organization_id = i.organization_id AND b.budget_id = i.budget_id AND b = i RETURNING b.organization_id, b.budget_id
    ), removed AS (
      DELETE FROM removed_of_budgets r USING gone g WHERE r.organization_id = g.organization_id AND r.budget_id = g.budget_id
    )
    SELECT g.organization_id, count(*) AS budgets FROM gone g GROUP BY g.organization_id
  LOOP
    UPDATE organization_balances o SET budgets = o.budgets - gone.budgets WHERE o.organization_id = gone.organization_id;
    forgotten := forgotten + gone.budgets;
  END LOOP;
  RETURN forgotten;
END $$;

CREATE OR REPLACE FUNCTION budget_totals(the_organization text, named json, given_now_ms int8) RETURNS json LANGUAGE plpgsql STABLE ${ON_INDEXES} AS $$
DECLARE
  now_ms int8 := coalesce(given_now_ms, server_now_ms());
BEGIN
  RETURN (
    SELECT json_agg(json_build_object('usage', b.usage::text, 'held', b.held::text, 'windowUsage', window_usage(as_key(b), n.reset, now_ms)::text,
      'nowMs', greatest(now_ms, b.latest_entry_ms)) ORDER BY n.place)
    FROM ROWS FROM (json_to_recordset(named) AS (id text, reset text)) WITH ORDINALITY n (id, reset, place)
      LEFT JOIN budget_usages b ON b.organization_id = the_organization AND b.budget_id = n.id
  );
END $$;
`;
