/** What a hold comes to, and its ending. They change nothing themselves: see `apply_batch`. */
export const HOLD_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION place_hold(
  v operation, o organization_balances, k key_usages, b key_usages[], earlier holds, charged entries, now_ms int8
) RETURNS outcome LANGUAGE plpgsql AS $$
DECLARE
  x outcome;
  key_usage numeric := window_usage(k, v.key_limit_reset, now_ms);
  key_used float8 := rate_used_at(k.rate_used, k.rate_at_ms, k.rate_drains_at_ms, v.key_rate, now_ms);
  organization_used float8 := rate_used_at(o.rate_used, o.rate_at_ms, o.rate_drains_at_ms, v.organization_rate, now_ms);
  refused_by text;
  fits boolean;
  full_budget int4;
BEGIN
  IF earlier.token = v.token THEN
    x.answer := json_build_object('amount', earlier.amount::text, 'ratesUsed', rates_json(key_used, organization_used));
    RETURN x;
  ELSIF earlier.hold_id IS NOT NULL OR charged.id IS NOT NULL THEN
    x.answer := json_build_object('status', 'duplicate');
    RETURN x;
  END IF;
  IF v.acceptable_amounts IS NOT NULL THEN
    v.amount := largest_amount(v, least(
      CASE WHEN NOT v.operator_pays THEN o.credits::numeric - o.usage - o.held END, v.key_limit - key_usage - k.held,
      CASE WHEN v.budget_limits IS NOT NULL THEN room_in_budgets(v.budget_limits, b, now_ms, true) END
    ));
  END IF;
  refused_by := CASE
    WHEN v.uses_slot AND k.in_flight >= v.key_max_concurrent THEN 'key_concurrency'
    WHEN v.uses_slot AND o.in_flight >= v.organization_max_concurrent THEN 'organization_concurrency'
    WHEN NOT fits_rate(key_used, v.key_rate) THEN 'key_rate'
    WHEN NOT fits_rate(organization_used, v.organization_rate) THEN 'organization_rate'
    WHEN key_usage + k.held + v.amount > v.key_limit THEN 'key_limit'
    WHEN v.budget_limits IS NOT NULL AND room_in_budgets(v.budget_limits, b, now_ms, true) < v.amount THEN 'budget'
    WHEN NOT v.operator_pays AND o.usage::numeric + o.held + v.amount > o.credits THEN 'organization_credits'
  END;
  IF refused_by IS NOT NULL THEN
    fits := (v.operator_pays OR o.usage::numeric + v.amount <= o.credits) AND coalesce(key_usage + v.amount <= v.key_limit, true)
      AND (v.budget_limits IS NULL OR coalesce(room_in_budgets(v.budget_limits, b, now_ms, false) >= v.amount, true));
    x.key_rate_used := set_back_to(key_used, k.rate_at_ms, now_ms);
    x.organization_rate_used := set_back_to(organization_used, o.rate_at_ms, now_ms);
    IF refused_by = 'budget' THEN
      full_budget := (SELECT n FROM generate_subscripts(b, 1) n WHERE room_in_budget(v.budget_limits[n], b[n], now_ms) < v.amount
        ORDER BY v.budget_limits[n].nth LIMIT 1);
      k := b[full_budget];
      v.key_limit := v.budget_limits[full_budget].amount;
      key_usage := window_usage(k, v.budget_limits[full_budget].reset, now_ms);
    END IF;
    x.answer := refused_hold(v, o, k, refused_by, key_usage, fits, greatest(now_ms, k.latest_entry_ms), rates_json(key_used, organization_used));
  ELSIF NOT is_total(o.held::numeric + v.amount) OR NOT is_total(k.held::numeric + v.amount) THEN
    x.answer := json_build_object('refused', 'invalid_amount');
  ELSIF v.budget_ids IS NOT NULL AND uncountable(o, b, v.amount, 0, now_ms) IS NOT NULL THEN
    x.answer := json_build_object('refused', uncountable(o, b, v.amount, 0, now_ms));
  ELSE
    RETURN ROW(
      json_build_object('amount', v.amount::text, 'ratesUsed', rates_json(key_used + 1, organization_used + 1)), true, NULL,
      0, 0, v.amount, v.uses_slot::int4, key_used + 1, organization_used + 1,
      ROW(v.id, v.organization_id, v.key_id, v.amount, v.model, v.time_ms, v.token, NULL, 'open', NULL, NULL, v.uses_slot, v.tag, now_ms,
        NULL, NULL, v.budget_ids)::holds, NULL, NULL
    )::outcome;
  END IF;
  RETURN x;
END $$;

-- By a budget: then the key and its limit are those of the budget.
CREATE OR REPLACE FUNCTION refused_hold(
  v operation, o organization_balances, k key_usages, refused_by text, key_usage numeric, fits_without_holds boolean, now_ms int8, rates_used json
) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object(
    'by', refused_by,
    'budget', CASE refused_by WHEN 'budget' THEN k.key_id END,
    'limit', CASE refused_by WHEN 'organization_credits' THEN o.credits ELSE v.key_limit END::text,
    'usage', CASE refused_by WHEN 'organization_credits' THEN o.usage ELSE key_usage END::text,
    'held', CASE refused_by WHEN 'organization_credits' THEN o.held ELSE k.held END::text,
    'amount', v.amount::text,
    'nowMs', now_ms,
    'fitsWithoutHolds', fits_without_holds,
    'ratesUsed', rates_used
  )
$$;

-- The largest of a hold's amounts there is room for, else the smallest. The amounts descend. @param room null for no bound.
CREATE OR REPLACE FUNCTION largest_amount(v operation, room numeric) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  smaller int8;
BEGIN
  IF room IS NULL OR v.amount <= room THEN RETURN v.amount; END IF;
  FOREACH smaller IN ARRAY v.acceptable_amounts LOOP
    EXIT WHEN smaller <= room;
  END LOOP;
  RETURN smaller;
END $$;

-- settle, release and expire. The first ending stands; only a hold that expired is still ended by a settle or release.
CREATE OR REPLACE FUNCTION end_hold(v operation, o organization_balances, k key_usages, b key_usages[], h holds, now_ms int8) RETURNS outcome
LANGUAGE plpgsql AS $$
DECLARE
  x outcome;
  late boolean := h.status = 'expired' AND v.operation IN ('settle', 'release');
  ending text := CASE v.operation WHEN 'settle' THEN 'settled' WHEN 'release' THEN 'released' ELSE 'expired' END;
BEGIN
  -- A hold that was placed after its organization was looked up is not known yet: its counters are not locked.
  IF h.hold_id IS NULL OR v.organization_id IS NULL THEN
    x.answer := json_build_object('status', 'unknown');
    RETURN x;
  ELSIF (h.status <> 'open' AND NOT late) OR (ending = 'expired' AND h.expires_at_ms > v.time_ms) THEN
    x.answer := json_build_object('status', h.status, 'cost', coalesce(h.charged, 0)::text, 'first', coalesce(h.ending_token = v.token, false));
    RETURN x;
  END IF;
  x.stamp_ms := greatest(now_ms, o.latest_entry_ms, k.latest_entry_ms);
  v.amount := CASE v.operation WHEN 'settle' THEN v.amount ELSE 0 END;
  IF v.amount <> 0 AND (
    NOT can_be_used(v.amount, o.usage, k, x.stamp_ms) OR v.budget_ids IS NOT NULL AND uncountable(o, b, 0, v.amount, x.stamp_ms) IS NOT NULL
  ) THEN
    x.answer := json_build_object('refused', 'invalid_amount');
    RETURN x;
  END IF;
  h := ROW(
    h.hold_id, h.organization_id, h.key_id, h.amount, h.model, h.expires_at_ms, h.token, v.token, ending,
    CASE v.operation WHEN 'settle' THEN v.amount END, x.stamp_ms, h.uses_slot, h.tag,
    h.created_at_ms, v.model, v.provider, h.budgets
  )::holds;
  v.tag := h.tag;
  RETURN ROW(
    json_build_object('status', ending, 'cost', v.amount::text, 'first', true), true, x.stamp_ms,
    0, v.amount, CASE WHEN late THEN 0 ELSE -h.amount END, CASE WHEN late THEN 0 ELSE -h.uses_slot::int4 END, NULL, NULL,
    h,
    CASE ending WHEN 'settled' THEN new_entry(v, 'charge', x.stamp_ms, late) END,
    CASE WHEN ending = 'expired' OR v.losses IS NOT NULL THEN more_entries(v, h, x.stamp_ms) END
  )::outcome;
END $$;

-- What an ending writes beside a charge: that the hold expired, or its losses.
CREATE OR REPLACE FUNCTION more_entries(v operation, h holds, stamp_ms int8) RETURNS entries[] LANGUAGE plpgsql AS $$
BEGIN
  IF h.status = 'expired' THEN
    RETURN ARRAY[ROW(stamp_ms, NULL, 'expired', v.id || '.expired', v.organization_id, v.key_id, h.amount, NULL, h.model, NULL, NULL, NULL, NULL,
      v.token, NULL, NULL, v.budget_ids, NULL)::entries];
  END IF;
  RETURN ARRAY(
    SELECT ROW(stamp_ms, NULL, 'loss', v.id || '.loss.' || l.ordinality, v.organization_id, v.key_id, l.amount, NULL, l.model, l.provider, NULL, NULL,
      l.reason, v.token, NULL, v.tag, v.budget_ids, NULL)::entries
    FROM ROWS FROM (json_to_recordset(v.losses) AS (amount int8, model text, provider text, reason text)) WITH ORDINALITY l
  );
END $$;
`;
