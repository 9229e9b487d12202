/** How what a batch has decided is written: each table in one statement. */
export const WRITE_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION write_counters(organizations organization_balances[], keys key_usages[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE organization_balances b SET credits = o.credits, usage = o.usage, held = o.held, in_flight = o.in_flight, latest_entry_ms = o.latest_entry_ms,
    rate_used = o.rate_used, rate_at_ms = o.rate_at_ms, rate_drains_at_ms = o.rate_drains_at_ms, forget_at_ms = o.forget_at_ms,
    budgets = o.budgets
  FROM unnest(organizations) o WHERE b.organization_id = o.organization_id AND b IS DISTINCT FROM o;
  UPDATE key_usages b SET usage = k.usage, held = k.held, in_flight = k.in_flight, latest_entry_ms = k.latest_entry_ms,
    usage_before_day = k.usage_before_day, usage_before_week = k.usage_before_week, usage_before_month = k.usage_before_month,
    rate_used = k.rate_used, rate_at_ms = k.rate_at_ms, rate_drains_at_ms = k.rate_drains_at_ms, forget_at_ms = k.forget_at_ms
  FROM unnest(keys) k WHERE b.key_id = k.key_id AND b IS DISTINCT FROM k;
END $$;

CREATE OR REPLACE FUNCTION write_holds(placed holds[], ended holds[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  inserted int8;
BEGIN
  IF cardinality(placed) > 0 THEN
    INSERT INTO holds SELECT p.* FROM unnest(placed) p ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS inserted = ROW_COUNT;
    IF inserted < cardinality(placed) THEN PERFORM send_again(); END IF;
  END IF;
  IF cardinality(ended) > 0 THEN
    UPDATE holds h SET status = e.status, charged = e.charged, ended_at_ms = e.ended_at_ms, ending_token = e.ending_token,
      served_model = e.served_model, provider = e.provider
    FROM unnest(ended) e WHERE h.hold_id = e.hold_id;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION write_entries(written entries[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF cardinality(written) > 0 THEN
    INSERT INTO entries (at_ms, kind, id, organization_id, key_id, amount, note, model, provider, cost_source, late, reason, token, upstream_cost, tag,
      budgets)
      SELECT e.at_ms, e.kind, e.id, e.organization_id, e.key_id, e.amount, e.note, e.model, e.provider, e.cost_source, e.late, e.reason, e.token,
        e.upstream_cost, e.tag, e.budgets
      FROM unnest(written) e;
  END IF;
END $$;

-- Another process, whose counters are not locked here, may use an id at the same moment for another organization. Then the batch is sent again, and sees it.
CREATE OR REPLACE FUNCTION send_again() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an id was used by another batch at the same time' USING ERRCODE = 'serialization_failure';
END $$;
`;
