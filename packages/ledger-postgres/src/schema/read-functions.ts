import { ON_INDEXES } from './on-indexes.js';

/** Totals and pages of the log. */
export const READ_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION organization_totals(the_organization text) RETURNS json LANGUAGE plpgsql STABLE ${ON_INDEXES} AS $$
BEGIN
  RETURN (
    SELECT json_build_object('credits', o.credits::text, 'usage', o.usage::text, 'held', o.held::text)
    FROM organization_balances o WHERE o.organization_id = the_organization
  );
END $$;

CREATE OR REPLACE FUNCTION key_totals(the_key text, reset text, given_now_ms int8) RETURNS json LANGUAGE plpgsql STABLE ${ON_INDEXES} AS $$
DECLARE
  now_ms int8 := coalesce(given_now_ms, server_now_ms());
  k key_usages;
BEGIN
  SELECT u.* INTO k FROM key_usages u WHERE u.key_id = the_key;
  -- The latest window stays the present one where the clock has been set back. Of a key never seen there is the time alone.
  RETURN json_build_object('usage', k.usage::text, 'held', k.held::text, 'windowUsage', window_usage(k, reset, now_ms)::text,
    'nowMs', greatest(now_ms, k.latest_entry_ms));
END $$;

-- At most so many entries behind a place and before a time, in their order: of all organizations, or of the organization, the key, or both that
-- are named. Each statement compares whole rows of the one index that has its order, so it begins and ends in that index.
CREATE OR REPLACE FUNCTION list_entries(of_organization text, of_key text, after_ms int8, after_position int8, to_ms int8, most int8) RETURNS json
LANGUAGE plpgsql STABLE ${ON_INDEXES} AS $$
DECLARE
  page entries[];
BEGIN
  IF of_key IS NOT NULL THEN
    page := ARRAY(
      SELECT e FROM entries e
      WHERE e.key_id IS NOT NULL AND (e.key_id, e.at_ms, e.position) > (of_key COLLATE "C", after_ms, after_position)
        AND (e.key_id, e.at_ms) < (of_key COLLATE "C", to_ms) AND (of_organization IS NULL OR e.organization_id = of_organization)
      ORDER BY e.key_id, e.at_ms, e.position LIMIT most
    );
  ELSIF of_organization IS NOT NULL THEN
    page := ARRAY(
      SELECT e FROM entries e
      WHERE (e.organization_id, e.at_ms, e.position) > (of_organization COLLATE "C", after_ms, after_position)
        AND (e.organization_id, e.at_ms) < (of_organization COLLATE "C", to_ms)
      ORDER BY e.organization_id, e.at_ms, e.position LIMIT most
    );
  ELSE
    page := ARRAY(
      SELECT e FROM entries e WHERE (e.at_ms, e.position) > (after_ms, after_position) AND e.at_ms < to_ms ORDER BY e.at_ms, e.position LIMIT most
    );
  END IF;
  RETURN (
    SELECT coalesce(json_agg(json_build_object('kind', kind, 'id', id, 'organizationId', organization_id, 'keyId', key_id, 'amount', amount::text,
      'atMs', at_ms, 'position', position::text, 'note', note, 'model', model, 'provider', provider, 'costSource', cost_source,
      'upstreamCost', upstream_cost::text, 'late', late, 'reason', reason, 'tag', tag)), '[]')
    FROM unnest(page) e
  );
END $$;

-- Waits until no writer of the log is under way. @returns the last position written until then: nothing will ever appear before it.
CREATE OR REPLACE FUNCTION settle_log() RETURNS int8 LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(log_lock());
  RETURN (SELECT last_value FROM entries_position_seq);
END $$;
`;
