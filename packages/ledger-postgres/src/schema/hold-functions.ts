/** How a hold is placed, and how it ends. The counters of its organization and key are locked when these run (see `lock_books`). */
export const HOLD_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION place_hold(v operation, now_ms int8, skew_ms int8) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  books record;
  refused_by text;
BEGIN
  SELECT o.credits, o.usage::numeric, o.held, k.held AS key_held, k.latest_entry_ms, window_usage(k, v.key_limit_reset, now_ms) AS key_usage,
    (SELECT h.token FROM holds h WHERE h.hold_id = v.id) AS earlier_token,
    -- Of a hold that ended long ago only its charge is left.
    EXISTS (SELECT FROM entries e WHERE e.id = v.id AND e.kind = 'charge') AS was_charged
    INTO books
    FROM organization_balances o, key_usages k WHERE o.organization_id = v.organization_id AND k.key_id = v.key_id;
  IF books.earlier_token = v.token THEN
    RETURN (SELECT json_build_object('status', 'held', 'amount', h.amount::text) FROM holds h WHERE h.hold_id = v.id);
  END IF;
  IF books.earlier_token IS NOT NULL OR books.was_charged THEN RETURN json_build_object('status', 'duplicate'); END IF;
  IF v.smaller_amounts IS NOT NULL THEN
    v.amount := largest_amount(v, least(books.credits - books.usage - books.held, v.key_limit - books.key_usage - books.key_held));
  END IF;
  IF books.key_usage + books.key_held + v.amount > v.key_limit THEN refused_by := 'key_limit';
  ELSIF books.usage + books.held + v.amount > books.credits THEN refused_by := 'organization_credits';
  END IF;
  IF refused_by IS NOT NULL THEN
    RETURN json_build_object(
      'status', 'refused',
      'by', refused_by,
      'limit', CASE refused_by WHEN 'key_limit' THEN v.key_limit ELSE books.credits END::text,
      'usage', CASE refused_by WHEN 'key_limit' THEN books.key_usage ELSE books.usage END::text,
      'held', CASE refused_by WHEN 'key_limit' THEN books.key_held ELSE books.held END::text,
      'amount', v.amount::text,
      'nowMs', greatest(now_ms, books.latest_entry_ms),
      'fitsWithoutHolds', books.usage + v.amount <= books.credits AND coalesce(books.key_usage + v.amount <= v.key_limit, true)
    );
  END IF;
  IF NOT is_total(books.held::numeric + v.amount) OR NOT is_total(books.key_held::numeric + v.amount) THEN
    RETURN json_build_object('refused', 'invalid_amount');
  END IF;
  INSERT INTO holds (hold_id, organization_id, key_id, amount, model, expires_at_ms, token)
    VALUES (v.id, v.organization_id, v.key_id, v.amount, v.model, v.time_ms + skew_ms, v.token)
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN json_build_object('status', 'duplicate'); END IF;
  UPDATE organization_balances o SET held = held + v.amount WHERE o.organization_id = v.organization_id;
  UPDATE key_usages k SET held = held + v.amount WHERE k.key_id = v.key_id;
  RETURN json_build_object('status', 'held', 'amount', v.amount::text);
END $$;

-- The largest of a hold's amounts there is room for, else the smallest. The amounts descend.
CREATE OR REPLACE FUNCTION largest_amount(v operation, room numeric) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  smaller int8;
BEGIN
  IF v.amount <= room THEN RETURN v.amount; END IF;
  FOREACH smaller IN ARRAY v.smaller_amounts LOOP
    EXIT WHEN smaller <= room;
  END LOOP;
  RETURN smaller;
END $$;

-- settle, release and the two ways to expire. The first ending stands; only a hold that expired for nothing is still charged by a settle.
CREATE OR REPLACE FUNCTION end_hold(v operation, now_ms int8) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  h record;
  late boolean;
  ending text := CASE v.operation WHEN 'settle' THEN 'settled' WHEN 'release' THEN 'released' ELSE 'expired' END;
BEGIN
  SELECT hold.*, o.usage, k AS of_key, greatest(now_ms, o.latest_entry_ms, k.latest_entry_ms) AS stamp_ms
    INTO h
    FROM holds hold JOIN organization_balances o USING (organization_id) JOIN key_usages k USING (key_id)
    -- A hold that was placed after its organization was looked up is not known yet: its books are not locked.
    WHERE hold.hold_id = v.id AND hold.organization_id = v.organization_id AND hold.key_id = v.key_id;
  IF NOT FOUND THEN RETURN json_build_object('status', 'unknown'); END IF;
  late := h.status = 'expired' AND h.charged IS NULL AND v.operation = 'settle';
  IF (h.status <> 'open' AND NOT late) OR (ending = 'expired' AND h.expires_at_ms > v.time_ms) THEN
    RETURN json_build_object('status', h.status, 'cost', coalesce(h.charged, 0)::text, 'first', coalesce(h.ending_token = v.token, false));
  END IF;
  v.amount := CASE v.operation WHEN 'settle' THEN v.amount WHEN 'expire_charging' THEN h.amount ELSE 0 END;
  IF NOT can_be_used(v.amount, h.usage, h.of_key, h.stamp_ms) THEN
    IF v.operation <> 'expire_charging' THEN RETURN json_build_object('refused', 'invalid_amount'); END IF;
    -- A sweep has no caller to refuse: the hold expires without a charge.
    v.operation := 'expire';
    v.amount := 0;
  END IF;
  UPDATE holds hold SET
    status = ending,
    charged = CASE WHEN v.operation IN ('settle', 'expire_charging') THEN v.amount END,
    ended_at_ms = h.stamp_ms,
    ending_token = v.token
  WHERE hold.hold_id = v.id;
  IF v.losses IS NOT NULL THEN PERFORM write_losses(v, h.stamp_ms); END IF;
  IF ending = 'expired' THEN
    PERFORM write_expiry(v, h.amount, h.model, h.stamp_ms);
  ELSIF ending = 'settled' THEN
    INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, model, provider, cost_source, late)
      VALUES (h.stamp_ms, 'charge', v.id, v.organization_id, v.key_id, v.amount, v.model, v.provider, v.cost_source, late);
  END IF;
  PERFORM count_usage(v, CASE WHEN late THEN 0 ELSE h.amount END, h.stamp_ms);
  RETURN json_build_object('status', ending, 'cost', v.amount::text, 'first', true);
END $$;

CREATE OR REPLACE FUNCTION write_losses(v operation, stamp_ms int8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, model, provider, reason)
    SELECT stamp_ms, 'loss', v.id || '.loss.' || number, v.organization_id, v.key_id, l.amount, l.model, l.provider, l.reason
    FROM ROWS FROM (json_to_recordset(v.losses) AS (amount int8, model text, provider text, reason text))
      WITH ORDINALITY AS l (amount, model, provider, reason, number)
    ORDER BY number;
END $$;

CREATE OR REPLACE FUNCTION write_expiry(v operation, held int8, model text, stamp_ms int8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, model)
    VALUES (stamp_ms, 'expired', v.id || '.expired', v.organization_id, v.key_id, held, write_expiry.model);
  IF v.operation <> 'expire_charging' THEN RETURN; END IF;
  INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, model, provider, cost_source, late)
    VALUES (stamp_ms, 'charge', v.id, v.organization_id, v.key_id, held, write_expiry.model, '', 'held', false);
END $$;
`;
