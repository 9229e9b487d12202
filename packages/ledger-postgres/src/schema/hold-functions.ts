/** How a hold is placed, and how it ends. The books of its organization and key are locked when these run (see `lock_books`). */
export const HOLD_FUNCTIONS = /* sql */ `
CREATE FUNCTION place_hold(v verb, now_ms int8, skew_ms int8) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  earlier holds;
  o organization_balances;
  k key_usages;
  key_usage numeric;
  refused_by text;
BEGIN
  SELECT * INTO earlier FROM holds h WHERE h.hold_id = v.id;
  IF FOUND THEN RETURN json_build_object('status', CASE WHEN earlier.token = v.token THEN 'held' ELSE 'duplicate' END); END IF;
  -- Of a hold that ended long ago only its charge is left.
  IF EXISTS (SELECT FROM entries e WHERE e.id = v.id AND e.kind = 'charge') THEN RETURN json_build_object('status', 'duplicate'); END IF;
  SELECT * INTO o FROM organization_balances b WHERE b.organization_id = v.organization_id;
  SELECT * INTO k FROM key_usages b WHERE b.key_id = v.key_id;
  key_usage := window_usage(k, v.key_limit_reset, now_ms);
  IF key_usage + k.held + v.amount > v.key_limit THEN refused_by := 'key_limit';
  ELSIF o.usage::numeric + o.held + v.amount > o.credits THEN refused_by := 'organization_credits';
  END IF;
  IF refused_by IS NOT NULL THEN RETURN refusal_of(v, refused_by, key_usage, o, k, now_ms); END IF;
  IF NOT fits_int8(o.held::numeric + v.amount) OR NOT fits_int8(k.held::numeric + v.amount) THEN
    RETURN json_build_object('refused', 'invalid_amount');
  END IF;
  INSERT INTO holds (hold_id, organization_id, key_id, amount, model, expires_at_ms, token)
    VALUES (v.id, v.organization_id, v.key_id, v.amount, v.model, v.time_ms + skew_ms, v.token)
    ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN json_build_object('status', 'duplicate'); END IF;
  UPDATE organization_balances b SET held = held + v.amount WHERE b.organization_id = v.organization_id;
  UPDATE key_usages b SET held = held + v.amount WHERE b.key_id = v.key_id;
  RETURN json_build_object('status', 'held');
END $$;

CREATE FUNCTION refusal_of(v verb, refused_by text, key_usage numeric, o organization_balances, k key_usages, now_ms int8)
RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  RETURN json_build_object(
    'status', 'refused',
    'by', refused_by,
    'limit', CASE refused_by WHEN 'key_limit' THEN v.key_limit ELSE o.credits END::text,
    'usage', CASE refused_by WHEN 'key_limit' THEN key_usage ELSE o.usage END::text,
    'held', CASE refused_by WHEN 'key_limit' THEN k.held ELSE o.held END::text,
    'nowMs', greatest(now_ms, k.latest_entry_ms),
    'fitsWithoutHolds', o.usage::numeric + v.amount <= o.credits AND coalesce(key_usage + v.amount <= v.key_limit, true)
  );
END $$;

-- settle, release and the two ways to expire. The first ending stands; only a hold that expired for nothing is still charged by a settle.
CREATE FUNCTION end_hold(v verb, now_ms int8) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  h holds;
  late boolean;
  charges boolean := v.verb IN ('settle', 'expire_charging');
  stamp_ms int8;
BEGIN
  SELECT * INTO h FROM holds b WHERE b.hold_id = v.id;
  IF NOT FOUND THEN RETURN json_build_object('status', 'unknown'); END IF;
  late := h.status = 'expired' AND h.charged IS NULL AND v.verb = 'settle';
  IF (h.status <> 'open' AND NOT late) OR (v.verb LIKE 'expire%' AND h.expires_at_ms > v.time_ms) THEN
    RETURN json_build_object('status', h.status, 'cost', coalesce(h.charged, 0)::text, 'first', coalesce(h.ending_token = v.token, false));
  END IF;
  v.amount := CASE v.verb WHEN 'settle' THEN v.amount WHEN 'expire_charging' THEN h.amount ELSE 0 END;
  IF NOT has_room_for_usage(v) THEN RETURN json_build_object('refused', 'invalid_amount'); END IF;
  stamp_ms := stamp_of(v, now_ms);
  UPDATE holds b SET
    status = CASE v.verb WHEN 'settle' THEN 'settled' WHEN 'release' THEN 'released' ELSE 'expired' END,
    charged = CASE WHEN charges THEN v.amount END,
    ended_at_ms = stamp_ms,
    ending_token = v.token
  WHERE b.hold_id = v.id;
  PERFORM write_ending(v, h, late, stamp_ms);
  PERFORM count_usage(v, CASE WHEN late THEN 0 ELSE h.amount END, stamp_ms);
  RETURN json_build_object(
    'status', CASE v.verb WHEN 'settle' THEN 'settled' WHEN 'release' THEN 'released' ELSE 'expired' END,
    'cost', v.amount::text,
    'first', true
  );
END $$;

-- The entries of an ending: losses before the charge they led to, an expiry before its charge.
CREATE FUNCTION write_ending(v verb, h holds, late boolean, stamp_ms int8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF v.losses IS NOT NULL THEN
    INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, model, provider, reason)
      SELECT stamp_ms, 'loss', v.id || '.loss.' || number, v.organization_id, v.key_id, l.amount, l.model, l.provider, l.reason
      FROM ROWS FROM (json_to_recordset(v.losses) AS (amount int8, model text, provider text, reason text))
        WITH ORDINALITY AS l (amount, model, provider, reason, number)
      ORDER BY number;
  END IF;
  IF v.verb LIKE 'expire%' THEN
    INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, model)
      VALUES (stamp_ms, 'expired', v.id || '.expired', v.organization_id, v.key_id, h.amount, h.model);
  END IF;
  IF v.verb = 'settle' THEN
    INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, model, provider, cost_source, late)
      VALUES (stamp_ms, 'charge', v.id, v.organization_id, v.key_id, v.amount, v.model, v.provider, v.cost_source, late);
  ELSIF v.verb = 'expire_charging' THEN
    INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, model, provider, cost_source, late)
      VALUES (stamp_ms, 'charge', v.id, v.organization_id, v.key_id, v.amount, h.model, '', 'held', false);
  END IF;
END $$;

-- Ends at most so many of the holds that are due. @returns how many were found, and how many of them it ended.
CREATE FUNCTION expire_due_holds(due_ms int8, charging boolean, most int8, given_now_ms int8, process_now_ms int8) RETURNS json
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  due_by_server_ms int8 := due_ms + coalesce(server_now_ms() - process_now_ms, 0);
  verbs json := coalesce((
    SELECT json_agg(json_build_object(
      'verb', CASE WHEN charging THEN 'expire_charging' ELSE 'expire' END, 'id', due.hold_id, 'time_ms', due_by_server_ms
    ))
    FROM (
      SELECT h.hold_id FROM holds h WHERE h.ended_at_ms IS NULL AND h.expires_at_ms <= due_by_server_ms ORDER BY h.expires_at_ms LIMIT most
    ) due
  ), '[]');
  results json := apply_verbs(verbs, given_now_ms, process_now_ms);
BEGIN
  RETURN json_build_object(
    'found', json_array_length(results),
    'ended', (SELECT count(*) FROM json_array_elements(results) r WHERE (r ->> 'first')::boolean)
  );
END $$;

-- Forgets at most so many holds that ended long ago. @returns how many it forgot.
CREATE FUNCTION forget_ended_holds(keep_ms int8, most int8, given_now_ms int8) RETURNS int8
LANGUAGE plpgsql SET search_path FROM CURRENT SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  forgotten int8;
BEGIN
  DELETE FROM holds WHERE hold_id = ANY (ARRAY(
    SELECT h.hold_id FROM holds h WHERE h.ended_at_ms < coalesce(given_now_ms, server_now_ms()) - keep_ms
    ORDER BY h.ended_at_ms LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END $$;

-- Waits until no writer of the log is under way. @returns the last position written until then: nothing will ever appear before it.
CREATE FUNCTION settle_log() RETURNS int8 LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(log_lock());
  RETURN (SELECT last_value FROM entries_position_seq);
END $$;
`;
