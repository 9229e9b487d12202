import { BUDGET_IDLE_DAYS, MAX_BUDGETS } from '@searchgate/core/ledger';
import { perWindow } from './per-window.js';
import { assigned } from './write-functions.js';

/** Counters of budgets: the array `b` has those of an operation that names any, in the order of its ids. */
export const BUDGET_FUNCTIONS = /* sql */ `
-- The counters as those of a key, whose windows are the same. One that is not made yet is for nothing.
CREATE OR REPLACE FUNCTION as_key(c budget_usages) RETURNS key_usages LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(c.budget_id, c.usage, c.held, c.latest_entry_ms, c.usage_before_day, c.usage_before_week, c.usage_before_month, 0, 0, 0, 0,
    CASE WHEN c.since_ms IS NULL THEN 0 END)::key_usages
$$;

-- The counters of all budgets that the operations of a turn name. Of one that is not made yet since_ms is null.
CREATE OR REPLACE FUNCTION read_budgets(batch operation[], this_turn int8) RETURNS budget_usages[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN ARRAY(
    -- Not as a join, which a planner might begin at the other end.
    SELECT coalesce(
      (SELECT b FROM budget_usages b WHERE b.organization_id = n.organization_id AND b.budget_id = n.budget_id),
      ROW(n.organization_id, n.budget_id, 0, 0, 0, 0, 0, 0, NULL, NULL)::budget_usages
    ) FROM (SELECT DISTINCT v.organization_id, unnest(v.budget_ids) AS budget_id FROM unnest(batch) v WHERE v.turn = this_turn) n
  );
END $$;

CREATE OR REPLACE FUNCTION room_in_budget(l budget_limit, k key_usages, now_ms int8) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
  SELECT l.amount - window_usage(k, l.reset, now_ms) - k.held
$$;

-- The least room, beside what is held or without it; null where there is no limit.
CREATE OR REPLACE FUNCTION room_in_budgets(limits budget_limit[], b key_usages[], now_ms int8, is_held boolean) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
  room numeric;
BEGIN
  FOR n IN 1 .. cardinality(b) LOOP
    room := least(room, room_in_budget(limits[n], b[n], now_ms) + CASE WHEN is_held THEN 0 ELSE b[n].held END);
  END LOOP;
  RETURN room;
END $$;

-- Why these amounts cannot be counted in all of them; null where they can.
CREATE OR REPLACE FUNCTION uncountable(o organization_balances, b key_usages[], held int8, used int8, now_ms int8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  counted int8 := o.budgets;
  k key_usages;
BEGIN
  FOREACH k IN ARRAY b LOOP
    IF NOT is_total(k.held::numeric + held) OR used <> 0 AND NOT can_be_used(used, 0, k, now_ms) THEN RETURN 'invalid_amount'; END IF;
    IF k.forget_at_ms = 0 THEN counted := counted + 1; END IF;
  END LOOP;
  RETURN CASE WHEN counted > greatest(o.budgets, ${MAX_BUDGETS}) THEN 'too_many_budgets' END;
END $$;

-- The counters once an operation is counted.
CREATE OR REPLACE FUNCTION count_in_budget(c budget_usages, x outcome, is_kept boolean, now_ms int8) RETURNS budget_usages LANGUAGE plpgsql AS $$
DECLARE
  k key_usages := as_key(c);
BEGIN
  k := count_in_key(k, x, NULL, now_ms);
  RETURN ROW(
    c.organization_id, c.budget_id, k.usage, k.held, k.latest_entry_ms, k.usage_before_day, k.usage_before_week, k.usage_before_month,
    -- Where the clock was set back, its first entry may be earlier than the hold it was made for.
    least(coalesce(c.since_ms, now_ms), x.stamp_ms),
    CASE WHEN is_kept OR (c.since_ms IS NOT NULL AND c.used_day IS NULL) THEN NULL ELSE (coalesce(x.stamp_ms, now_ms) / 86400000)::int4 END
  )::budget_usages;
END $$;

CREATE OR REPLACE FUNCTION write_budgets(counters budget_usages[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO budget_usages AS b SELECT c.* FROM unnest(counters) c WHERE c.since_ms IS NOT NULL
    ON CONFLICT (organization_id, budget_id) DO UPDATE SET
      ${assigned('usage, held, latest_entry_ms, since_ms, used_day', 'excluded')}, ${perWindow('usage_before_@ = excluded.usage_before_@')}
    WHERE b IS DISTINCT FROM excluded;
END $$;

-- Forgets at most so many that were idle, and what was removed of them: of a budget that begins again the log before it says nothing.
CREATE OR REPLACE FUNCTION forget_budgets(now_ms int8, most int8) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
  idle budget_usages[] := ARRAY(
    SELECT b FROM budget_usages b WHERE b.used_day < (now_ms / 86400000)::int4 - ${BUDGET_IDLE_DAYS} AND b.held = 0 ORDER BY b.used_day LIMIT most
  );
  forgotten int8;
BEGIN
  IF cardinality(idle) = 0 THEN RETURN 0; END IF;
  PERFORM lock_removal();
  PERFORM FROM organization_balances o WHERE o.organization_id = ANY (ARRAY(SELECT b.organization_id FROM unnest(idle) b))
    ORDER BY o.organization_id FOR NO KEY UPDATE;
  WITH gone AS (
    DELETE FROM budget_usages WHERE ctid = ANY (ARRAY(
      SELECT (SELECT b.ctid FROM budget_usages b WHERE b.organization_id = i.organization_id AND b.budget_id = i.budget_id AND b = i) FROM unnest(idle) i
    )) RETURNING organization_id, budget_id
  ), removed AS (
    DELETE FROM removed_of_budgets WHERE ctid = ANY (ARRAY(
      SELECT (SELECT r.ctid FROM removed_of_budgets r WHERE r.organization_id = g.organization_id AND r.budget_id = g.budget_id) FROM gone g
    ))
  ), counted AS (
    UPDATE organization_balances o SET budgets = o.budgets - (SELECT count(*) FROM gone g WHERE g.organization_id = o.organization_id)
      WHERE o.organization_id = ANY (ARRAY(SELECT g.organization_id FROM gone g))
  )
  SELECT count(*) INTO forgotten FROM gone;
  RETURN forgotten;
END $$;
`;
