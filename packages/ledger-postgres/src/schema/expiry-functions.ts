import { ON_INDEXES } from './on-indexes.js';

/** What a sweep does. */
export const EXPIRY_FUNCTIONS = /* sql */ `
-- Ends at most so many of the holds that are due. @returns how many were found, and how many of them it ended.
CREATE OR REPLACE FUNCTION expire_due_holds(due_ms int8, most int8, given_now_ms int8, process_now_ms int8) RETURNS json
LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  due_by_server_ms int8 := due_ms + coalesce(server_now_ms() - process_now_ms, 0);
  operations json := coalesce((
    SELECT json_agg(json_build_object('operation', 'expire', 'id', due.hold_id, 'time_ms', due_by_server_ms))
    FROM (
      SELECT h.hold_id FROM holds h WHERE h.ended_at_ms IS NULL AND h.expires_at_ms <= due_by_server_ms ORDER BY h.expires_at_ms LIMIT most
    ) due
  ), '[]');
  results json := apply_operations(operations, given_now_ms, process_now_ms);
BEGIN
  RETURN json_build_object(
    'found', json_array_length(results),
    'ended', (SELECT count(*) FROM json_array_elements(results) r WHERE (r ->> 'first')::boolean)
  );
END $$;

-- Forgets at most so many holds that ended long ago. @returns how many it forgot.
CREATE OR REPLACE FUNCTION forget_ended_holds(keep_ms int8, most int8, given_now_ms int8) RETURNS int8 LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  -- A variable: a comparison with a function that may change its mind reads the whole index.
  before_ms int8 := coalesce(given_now_ms, server_now_ms()) - keep_ms;
  forgotten int8;
BEGIN
  DELETE FROM holds WHERE hold_id = ANY (ARRAY(
    SELECT h.hold_id FROM holds h WHERE h.ended_at_ms < before_ms ORDER BY h.ended_at_ms LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END $$;
`;
