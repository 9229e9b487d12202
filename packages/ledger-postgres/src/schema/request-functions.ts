import { filteredBy } from './filtered-by.js';
import { ON_INDEXES, reader } from './on-indexes.js';

/** The columns of a call. */
const COLUMNS =
  `request_id answer_id at_ms endpoint key_id organization_id tag model_asked model provider status reason stream cache cost
  upstream_cost loss duration_ms upstream_ms first_part_ms budgets byok
  cause attempted attempt_count rescued`.split(/\s+/);
/** Of columns that are null in rows of older processes, and of amounts. */
const VALUES: Readonly<Record<string, string>> = {
  budgets: `coalesce(budgets, '{}')`,
  byok: 'coalesce(byok, false)',
  attempted: `coalesce(attempted, '{}')`,
  attempt_count: 'coalesce(attempt_count, 0)',
  rescued: 'coalesce(rescued, false)',
  cost: 'cost::text',
  upstream_cost: 'upstream_cost::text',
  loss: 'loss::text',
};

/** A call as JSON has it, by the names of its fields. */
const FIELDS = COLUMNS.map((column) => `'${fieldOf(column)}', ${VALUES[column] ?? column}`).join(', ');
const AS_JSON = `json_build_object(${FIELDS})`;
const FILTERS = filteredBy({
  keyId: 'key_id = @',
  tag: 'tag = @',
  model: 'model = @',
  provider: 'provider = @',
  reason: 'reason = @',
  fromStatus: 'status >= @::int4',
  toStatus: 'status <= @::int4',
  budget: '@ = ANY (budgets)',
  attempted: '@ = ANY (attempted)',
  rescued: 'coalesce(rescued, false) = @::boolean',
  minCost: 'cost >= @::numeric',
  minDurationMs: 'duration_ms >= @::float8',
  minAttempts: 'coalesce(attempt_count, 0) >= @::float8',
});

/** Most rows that are read for a page: behind them the page ends, so that a rare filter holds up nobody. */
const MAX_READ = 10_000;

/** How the log of calls and the record of changes are written, read and cut. The rights to remove rows are the owner's: these functions lend them. */
export const REQUEST_FUNCTIONS = /* sql */ `
-- Locks counters in one order, that of all calls first.
CREATE OR REPLACE FUNCTION count_requests() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES} SET enable_sort = on SET jit = off AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM request_counts;
    RETURN NULL;
  ELSIF NOT EXISTS (SELECT FROM changed) THEN RETURN NULL;
  END IF;
  INSERT INTO request_counts AS c
    SELECT coalesce(organization_id, ''), CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
    FROM changed GROUP BY GROUPING SETS ((organization_id), ()) ORDER BY 1
    ON CONFLICT (organization_id) DO UPDATE SET calls = c.calls + excluded.calls;
  DELETE FROM request_counts WHERE calls <= 0 AND organization_id = ANY (ARRAY(SELECT DISTINCT organization_id FROM changed));
  RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS count_added ON requests;
DROP TRIGGER IF EXISTS count_removed ON requests;
DROP TRIGGER IF EXISTS count_none ON requests;
CREATE TRIGGER count_added AFTER INSERT ON requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_requests();
CREATE TRIGGER count_removed AFTER DELETE ON requests REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_requests();
CREATE TRIGGER count_none AFTER TRUNCATE ON requests FOR EACH STATEMENT EXECUTE FUNCTION count_requests();

-- A page, newest first, behind a place. Its statement is made for the filter and compares whole rows of one index, so that it begins and ends in that index.
-- @returns the rows, and the last place that was read where others may follow.
CREATE OR REPLACE FUNCTION find_requests(filter json, since_ms int8, after_ms int8, after_id text, most int8) RETURNS json LANGUAGE plpgsql STABLE
${ON_INDEXES} SET enable_sort = off SET enable_incremental_sort = off SET jit = off AS $$
DECLARE
  -- What begins the index, and its value.
  found_by text[] := CASE
    WHEN filter ->> 'keyId' IS NOT NULL THEN ARRAY['key_id', filter ->> 'keyId']
    WHEN json_array_length(filter -> 'organizations') = 1 THEN ARRAY['organization_id', filter -> 'organizations' ->> 0]
  END;
  scanned text := CASE
    WHEN found_by IS NULL THEN 'SELECT * FROM requests WHERE at_ms >= $2 AND (at_ms, request_id) < ($3, $4 COLLATE "C")'
    ELSE format('SELECT * FROM requests WHERE (%1$s, at_ms) >= (%2$L, $2) AND (%1$s, at_ms, request_id) < (%2$L, $3, $4 COLLATE "C")',
      VARIADIC found_by)
  END;
  found json;
  last json;
BEGIN
  -- What is read from it has its order, which the planner takes for another one where the filter names what the index begins with.
  scanned := format('%s ORDER BY %s at_ms DESC, request_id DESC LIMIT ${MAX_READ}', scanned, found_by[1] || ' DESC,');
  EXECUTE format(
    $sql$
      SELECT coalesce(json_agg(json_build_object(${FIELDS}%2$s)), '[]') FROM (
        SELECT * FROM (%1$s) scanned
        WHERE ${FILTERS}
          AND ($1 -> 'organizations' IS NULL OR organization_id = ANY (ARRAY(SELECT json_array_elements_text($1 -> 'organizations'))))
        LIMIT $5
      ) page
    $sql$, scanned, CASE WHEN (filter ->> 'attempts')::boolean THEN ', ''attempts'', attempts' END
  ) INTO found USING filter, since_ms, after_ms, after_id, most;
  IF json_array_length(found) < most THEN
    EXECUTE format(
      'SELECT json_build_object(''atMs'', at_ms, ''requestId'', request_id) FROM (%s) scanned OFFSET ${MAX_READ - 1}', scanned
    ) INTO last USING filter, since_ms, after_ms, after_id;
  END IF;
  RETURN json_build_object('rows', found, 'last', last);
END $$;

${reader(
  'get_request(the_id text)',
  `SELECT json_build_object('row', ${AS_JSON}, 'attempts', attempts) FROM (
      SELECT * FROM requests WHERE request_id = the_id
      UNION ALL SELECT * FROM requests WHERE answer_id = the_id LIMIT 1
    ) found`,
)}${reader(
  'organizations_of_requests(most int8)',
  `SELECT json_agg(organization_id) FROM (
      SELECT organization_id FROM request_counts WHERE organization_id > '' ORDER BY calls DESC LIMIT most
    ) largest`,
  'SET enable_sort = off SET jit = off',
)}
-- Removes at most so many calls of an organization, the oldest. @returns how many.
CREATE OR REPLACE FUNCTION erase_requests(of_organization text, most int8) RETURNS int8 LANGUAGE sql SECURITY DEFINER ${ON_INDEXES} SET jit = off AS $$
  -- Before any call, as everyone who removes calls.
  SELECT FROM request_counts WHERE organization_id = '' FOR UPDATE;
  WITH gone AS (
    DELETE FROM requests WHERE request_id = ANY (ARRAY(
      SELECT request_id FROM requests
      WHERE (organization_id, at_ms) >= (of_organization COLLATE "C", 0) AND (organization_id, at_ms) <= (of_organization COLLATE "C", ${Number.MAX_SAFE_INTEGER})
      ORDER BY organization_id, at_ms, request_id LIMIT most
    )) RETURNING 1
  ) SELECT count(*) FROM gone
$$;

-- Takes a budget out of the next so many calls of its organization. @returns how many had it and the last place, or null where no call follows.
CREATE OR REPLACE FUNCTION erase_budget_of_requests(of_organization text, budget text, after_ms int8, after_id text, most int8) RETURNS json
LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES} SET jit = off AS $$
DECLARE
  answer json;
BEGIN
  PERFORM FROM request_counts WHERE organization_id = '' FOR UPDATE;
  WITH slice AS (
    SELECT at_ms, request_id FROM requests
    WHERE (organization_id, at_ms, request_id) > (of_organization COLLATE "C", after_ms, after_id COLLATE "C") AND organization_id <= of_organization
    ORDER BY organization_id, at_ms, request_id LIMIT most
  ), named AS (
    UPDATE requests SET budgets = array_remove(budgets, budget)
    WHERE request_id = ANY (ARRAY(SELECT request_id FROM slice)) AND budget = ANY (budgets) RETURNING 1
  )
  SELECT json_build_object('erased', (SELECT count(*) FROM named), 'afterMs', at_ms, 'afterId', request_id) INTO answer
    FROM slice ORDER BY at_ms DESC, request_id DESC LIMIT 1;
  RETURN answer;
END $$;

-- Removes at most so many calls that ended before a time, else of too many: it cuts the largest organization down to the second, again and again. Equal ones
-- lose a part of the rest in turn, so that there are few turns. @returns how many.
CREATE OR REPLACE FUNCTION prune_requests(before_ms int8, max_rows int8, most int8) RETURNS int8 LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES}
SET enable_sort = off SET jit = off AS $$
DECLARE
  all_calls int8 := (SELECT calls FROM request_counts WHERE organization_id = '' FOR UPDATE);
  surplus int8 := least(all_calls - max_rows, most);
  largest request_counts;
  second int8;
  turn int8;
  removed int8;
BEGIN
  DELETE FROM requests WHERE request_id = ANY (ARRAY(
    SELECT request_id FROM requests WHERE at_ms < before_ms ORDER BY at_ms, request_id LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF removed > 0 THEN RETURN removed; END IF;
  WHILE surplus > 0 LOOP
    SELECT * INTO largest FROM request_counts WHERE organization_id > '' ORDER BY calls DESC LIMIT 1;
    second := (SELECT calls FROM request_counts WHERE organization_id > '' ORDER BY calls DESC OFFSET 1 LIMIT 1);
    turn := greatest(largest.calls - coalesce(second, 0), least(surplus, largest.calls) / 16 + 1);
    turn := erase_requests(largest.organization_id, least(surplus, turn));
    EXIT WHEN coalesce(turn, 0) = 0;
    surplus := surplus - turn;
    removed := removed + turn;
  END LOOP;
  RETURN removed;
END $$;

-- Keeps a record of a change, or replaces it, and forgets some of those that are too old.
CREATE OR REPLACE FUNCTION keep_change(kept json) RETURNS json LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES} AS $$
BEGIN
  INSERT INTO changes VALUES (kept ->> 'id', kept ->> 'organizationId', kept ->> 'text')
    ON CONFLICT (id) DO UPDATE SET text = excluded.text;
  DELETE FROM changes WHERE id = ANY (ARRAY(SELECT id FROM changes WHERE id < kept ->> 'oldestId' ORDER BY id LIMIT 100));
  RETURN NULL;
END $$;

${reader(
  'newest_changes(before_id text, most int8)',
  `SELECT json_agg(text) FROM (SELECT text FROM changes WHERE id < before_id COLLATE "C" ORDER BY id DESC LIMIT most) newest`,
)}${reader(
  'living(since_ms int8)',
  'SELECT json_agg(text) FROM (SELECT text FROM instances WHERE seen_at_ms >= since_ms ORDER BY seen_at_ms DESC LIMIT 100) living',
  'SECURITY DEFINER',
)}
-- Tells that a process lives, and forgets those that do not. @returns those that live.
CREATE OR REPLACE FUNCTION beat(instance json) RETURNS json LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES} AS $$
BEGIN
  INSERT INTO instances VALUES (instance ->> 'id', (instance ->> 'seenAtMs')::int8, instance ->> 'text')
    ON CONFLICT (id) DO UPDATE SET seen_at_ms = excluded.seen_at_ms, text = excluded.text;
  DELETE FROM instances WHERE seen_at_ms < (instance ->> 'beforeMs')::int8;
  RETURN living((instance ->> 'beforeMs')::int8);
END $$;

-- @returns how many.
CREATE OR REPLACE FUNCTION erase_changes(of_organization text) RETURNS int8 LANGUAGE sql SECURITY DEFINER ${ON_INDEXES} AS $$
  WITH gone AS (DELETE FROM changes WHERE organization_id = of_organization RETURNING 1) SELECT count(*) FROM gone
$$;
`;

/** `atMs` of `at_ms`. */
function fieldOf(column: string): string {
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
