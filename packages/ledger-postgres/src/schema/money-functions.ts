/** The clock, totals and windows, and what grants and adjustments come to. */
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
    AND ${['daily', 'weekly', 'monthly'].map((reset) => `is_total(window_usage(k, '${reset}', now_ms) + amount)`).join(' AND ')})
$$;

-- An entry of an operation, in the order of the columns; its position is given when it is written.
CREATE OR REPLACE FUNCTION new_entry(v operation, kind text, at_ms int8, late boolean) RETURNS entries LANGUAGE plpgsql AS $$
BEGIN
  RETURN ROW(
    at_ms, NULL, kind, v.id, v.organization_id, v.key_id, v.amount, v.note, v.model, v.provider, v.cost_source, late, NULL, v.token, v.upstream_cost,
    v.tag, v.budget_ids, v.tenant_cost
  )::entries;
END $$;

-- Of a grant there are neither key nor budgets.
CREATE OR REPLACE FUNCTION apply_entry(v operation, o organization_balances, k key_usages, b key_usages[], earlier entries, now_ms int8)
RETURNS outcome LANGUAGE plpgsql AS $$
DECLARE
  x outcome;
  stamp_ms int8 := greatest(now_ms, o.latest_entry_ms, k.latest_entry_ms);
  refused text := CASE
    WHEN v.operation = 'grant' AND is_total(o.credits::numeric + v.amount) THEN NULL
    WHEN v.operation = 'grant' OR NOT can_be_used(v.amount, o.usage, k, stamp_ms) THEN 'invalid_amount'
    WHEN v.budget_ids IS NOT NULL THEN uncountable(o, b, 0, v.amount, stamp_ms)
  END;
BEGIN
  IF earlier.id IS NOT NULL THEN
    x.answer := repeated_entry(v, earlier);
  ELSIF refused IS NOT NULL THEN
    x.answer := json_build_object('refused', refused);
  ELSE
    x.answer := json_build_object('applied', true);
    x.is_counted := true;
    x.stamp_ms := stamp_ms;
    IF v.operation = 'grant' THEN x.credits := v.amount; ELSE x.usage := v.amount; END IF;
    x.entry := new_entry(v, CASE v.operation WHEN 'grant' THEN 'grant' ELSE 'adjustment' END, stamp_ms, NULL);
  END IF;
  RETURN x;
END $$;

-- What a grant or an adjustment is answered whose id its organization has used before.
CREATE OR REPLACE FUNCTION repeated_entry(v operation, earlier entries) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  IF (earlier.key_id, earlier.amount, earlier.budgets) IS DISTINCT FROM (v.key_id, v.amount, v.budget_ids) THEN
    RETURN json_build_object('refused', 'duplicate_' || earlier.kind);
  END IF;
  -- A call that is sent again after its answer was lost has the token of the first time.
  RETURN json_build_object('applied', coalesce(earlier.token = v.token, false));
END $$;
`;
