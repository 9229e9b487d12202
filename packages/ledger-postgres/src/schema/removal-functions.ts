import { ON_INDEXES } from './on-indexes.js';

/** The usage of a key before its latest day, week or month, when what was removed has come to it. */
function usageBefore(window: 'day' | 'week' | 'month'): string {
  return `CASE WHEN ${window}_of(excluded.latest_entry_ms) > r.latest_entry_ms THEN r.usage + excluded.usage_before_${window}
        ELSE r.usage_before_${window} END`;
}

/** How the log is cut. */
export const REMOVAL_FUNCTIONS = /* sql */ `
-- Removes what is among the next so many entries behind one place and up to another, and adds it to what was removed before. Grants and adjustments stay: no
-- sum has them. @returns how many entries were removed, and up to where; nothing is left where that is the place asked for.
CREATE OR REPLACE FUNCTION remove_entries(after_ms int8, after_position int8, to_ms int8, to_position int8, most int8) RETURNS json
LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  last_ms int8 := to_ms;
  last_position int8 := to_position;
  doomed entries[];
  removed int8;
BEGIN
  -- Processes take turns: the windows of a key move forward only.
  PERFORM pg_advisory_xact_lock(hashtextextended('searchgate.removal.' || current_schema(), 0));
  SELECT e.at_ms, e.position INTO last_ms, last_position FROM entries e
    WHERE (e.at_ms, e.position) > (after_ms, after_position) AND (e.at_ms, e.position) <= (to_ms, to_position)
    ORDER BY e.at_ms, e.position OFFSET most - 1 LIMIT 1;
  IF NOT FOUND THEN
    last_ms := to_ms;
    last_position := to_position;
  END IF;
  WITH gone AS (
    DELETE FROM entries e
    WHERE (e.at_ms, e.position) > (after_ms, after_position) AND (e.at_ms, e.position) <= (last_ms, last_position)
      AND e.kind NOT IN ('grant', 'adjustment')
    RETURNING e
  )
  SELECT array_agg(e), count(*) INTO doomed, removed FROM gone;

  INSERT INTO removed_of_organizations AS r (organization_id, usage)
    SELECT e.organization_id, sum(e.amount) FROM unnest(doomed) e WHERE e.kind = 'charge' GROUP BY e.organization_id
    ON CONFLICT (organization_id) DO UPDATE SET usage = r.usage + excluded.usage;
  INSERT INTO removed_of_keys AS r (key_id, usage, latest_entry_ms, usage_before_day, usage_before_week, usage_before_month)
    SELECT k.key_id, sum(e.amount), k.latest_ms,
      coalesce(sum(e.amount) FILTER (WHERE e.at_ms < day_of(k.latest_ms)), 0),
      coalesce(sum(e.amount) FILTER (WHERE e.at_ms < week_of(k.latest_ms)), 0),
      coalesce(sum(e.amount) FILTER (WHERE e.at_ms < month_of(k.latest_ms)), 0)
    FROM (SELECT c.key_id, c.at_ms, c.amount, max(c.at_ms) OVER (PARTITION BY c.key_id) AS latest_ms FROM unnest(doomed) c WHERE c.kind = 'charge') e
      CROSS JOIN LATERAL (SELECT e.key_id, e.latest_ms) k
    GROUP BY k.key_id, k.latest_ms
    ON CONFLICT (key_id) DO UPDATE SET usage = r.usage + excluded.usage,
      latest_entry_ms = excluded.latest_entry_ms,
      usage_before_day = ${usageBefore('day')},
      usage_before_week = ${usageBefore('week')},
      usage_before_month = ${usageBefore('month')};
  RETURN json_build_object('removed', removed, 'atMs', last_ms, 'position', last_position::text);
END $$;
`;
