/** How sums are read. */
export const USAGE_READING = /* sql */ `
-- A page of groups, by the bytes of their names, those without a name last. A span is of one level and counts its periods once, or takes them away (sign).
-- Spans may be large, so their rows are found in an index and read page by page, which the planner has no other way to do.
CREATE OR REPLACE FUNCTION list_usage(by_what text, of_organization text, of_key text, spans json, after_group text, most int8) RETURNS json
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $$
DECLARE
  answer json;
BEGIN
  EXECUTE format(
    $sql$
      SELECT coalesce(json_agg(page), '[]') FROM (
        SELECT nullif(name, '') AS "group", sum(sign * charges)::text AS charges, sum(sign * charged)::text AS charged,
          sum(sign * cached_charges)::text AS "cachedCharges", sum(sign * cached)::text AS cached, sum(sign * upstream_cost)::text AS "upstreamCost",
          sum(sign * adjusted)::text AS adjusted, sum(sign * granted)::text AS granted, sum(sign * lost)::text AS lost
        FROM json_to_recordset($1) p (level text, "from" int4, "to" int4, sign int4), LATERAL (
          SELECT %1$s AS name, sum(s.entries) AS entries, sum(s.charges) AS charges, sum(s.cached_charges) AS cached_charges, sum(s.charged) AS charged,
            sum(s.cached) AS cached, sum(s.upstream_cost) AS upstream_cost, sum(s.adjusted) AS adjusted, sum(s.granted) AS granted, sum(s.lost) AS lost
          FROM usage_sums s
          WHERE s.level = p.level AND s.period >= p."from" AND s.period < p."to" AND %3$s GROUP BY s.%2$I
        ) of_span
        WHERE name = '' OR $4 IS NULL OR name > $4
        GROUP BY name HAVING sum(sign * entries) > 0 ORDER BY name = '', name LIMIT $5
      ) page
    $sql$,
    CASE by_what WHEN 'day' THEN $name$to_char(date '1970-01-01' + s.period, 'YYYY-MM-DD') COLLATE "C"$name$
      ELSE format('s.%I', CASE by_what WHEN 'organization' THEN 'organization_id' WHEN 'key' THEN 'key_id' ELSE by_what END) END,
    CASE by_what WHEN 'day' THEN 'period' WHEN 'organization' THEN 'organization_id' WHEN 'key' THEN 'key_id' ELSE by_what END,
    CASE
      WHEN of_key IS NULL AND of_organization IS NULL THEN $condition$s.model >= ''$condition$
      WHEN of_key IS NULL THEN 's.organization_id = $2'
      WHEN of_organization IS NULL THEN $condition$s.key_id > '' AND s.key_id = $3$condition$
      ELSE 's.organization_id = $2 AND s.key_id = $3'
    END
  ) INTO answer USING spans, of_organization, of_key, after_group, most;
  RETURN answer;
END $$;

CREATE OR REPLACE FUNCTION find_hold(the_hold text) RETURNS json LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
BEGIN
  RETURN (
    SELECT json_build_object('organizationId', h.organization_id, 'keyId', h.key_id, 'status', h.status, 'cost', coalesce(h.charged, 0)::text,
      'model', coalesce(h.served_model, h.model), 'provider', h.provider,
      'createdAtMs', h.created_at_ms, 'endedAtMs', h.ended_at_ms)
    FROM holds h WHERE h.hold_id = the_hold
  );
END $$;
`;
