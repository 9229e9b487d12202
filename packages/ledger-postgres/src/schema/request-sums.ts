import { DURATION_BOUNDS, MAX_STATISTICS_ROWS } from '@searchgate/core/ledger';
import { filteredBy } from './filtered-by.js';
import { forgetRows, ON_INDEXES, reader } from './on-indexes.js';
import { MODEL_IN_INDEX, modelIn } from './tables.js';

/** What tells sums apart, beside the model. */
const CELL = ['organization_id', 'of', 'step', 'at_ms', 'endpoint', 'provider', 'outcome'];
const IS_CELL = `${CELL.map((column) => `s.${column} = c.${column}`).join(' AND ')} AND ${modelIn('s')} = ${modelIn('c')}`;
const DURATIONS = [...DURATION_BOUNDS.keys(), DURATION_BOUNDS.length].map((index) => `durations[${index + 1}]`);

/** The step that adds causes, and sums of calls. */
export const REQUEST_SUMS = /* sql */ `
-- Null in rows of older processes.
ALTER TABLE requests ADD COLUMN cause json, ADD COLUMN attempted text[], ADD COLUMN attempt_count int4, ADD COLUMN rescued boolean;
-- A bounded scan finds what these found, and the sums tell how much there is.
DROP INDEX requests_by_model;
DROP INDEX requests_by_tag;
DROP INDEX requests_failed;

-- Sums of calls and of attempts (of), by hour and by day (step). Writers hold the row of all calls in request_counts, so they never wait for each other here.
-- An amount is numeric: no other counter bounds it, and a sum at its bound must not stop the log.
CREATE TABLE request_sums (
  of text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  at_ms int8 NOT NULL,
  endpoint text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  count int8 NOT NULL,
  cost numeric NOT NULL,
  rescued int8 NOT NULL,
  durations int8[] NOT NULL
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX request_sums_cells ON request_sums (${CELL.join(', ')}, ${MODEL_IN_INDEX});
-- Partial, though it has every row: so only statements that say the same use it.
CREATE INDEX request_sums_by_time ON request_sums (step, at_ms, of) WHERE provider >= '';

-- It gets the sums too.
DROP FUNCTION IF EXISTS append_requests(json);
`;

/** The step that keeps the sums of batches until many are merged: to change the sums of each batch took two thirds of the time of a call in the log. */
export const PENDING_SUMS = /* sql */ `
-- Writers hold the row of all calls in request_counts, so the ids are in the order of the commits.
CREATE TABLE pending_sums (id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sums text NOT NULL);

-- It gets the sums of a batch as one text too.
DROP FUNCTION IF EXISTS append_requests(json, json);
`;

/** How many batches are merged at once. */
const MANY = 50;

/** How calls are added up, in the transaction that writes them. The rights to remove sums are the owner's: these functions lend them. */
export const REQUEST_SUM_FUNCTIONS = /* sql */ `
-- Adds calls and their sums, as the sender has added them up: so where some calls are known, it does nothing and answers with their ids. Of a process of an
-- older version, sums come in cells; of a still older version come no sums, and what is known of its calls is ignored. @returns a number when it is time to merge.
CREATE OR REPLACE FUNCTION append_requests(added json, sums json, pending text DEFAULT NULL) RETURNS json LANGUAGE plpgsql ${ON_INDEXES} SET jit = off AS $$
DECLARE
  -- One by one: of several, a plan made while the table was small would walk through an index that does not begin with them.
  known text[] := ARRAY(SELECT k.request_id FROM json_array_elements(added) r,
    LATERAL (SELECT request_id FROM requests WHERE request_id = (r ->> 'request_id') COLLATE "C" LIMIT 1) k);
  counts boolean := sums IS NOT NULL OR pending IS NOT NULL;
  changed int8;
BEGIN
  IF counts AND known <> '{}' THEN RETURN to_json(known); END IF;
  INSERT INTO requests SELECT * FROM json_populate_recordset(NULL::requests, added)
    ON CONFLICT (request_id) DO NOTHING;
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF counts AND changed < json_array_length(added) THEN PERFORM send_again(); END IF;
  IF sums IS NOT NULL THEN PERFORM add_sums(sums); END IF;
  IF pending IS NULL THEN RETURN NULL; END IF;
  INSERT INTO pending_sums (sums) VALUES (pending) RETURNING id INTO changed;
  RETURN CASE WHEN changed % ${MANY} = 0 THEN to_json(changed) END;
END $$;

CREATE OR REPLACE FUNCTION add_sums(sums json) RETURNS void LANGUAGE plpgsql ${ON_INDEXES} SET jit = off AS $$
DECLARE
  cells request_sums[] := ARRAY(SELECT c FROM json_populate_recordset(NULL::request_sums, sums) c);
  changed int8;
BEGIN
  -- They are there as a rule, and an update alone writes half as much as an insert that finds out.
  UPDATE request_sums s SET count = s.count + c.count, cost = s.cost + c.cost, rescued = s.rescued + c.rescued,
      durations = ARRAY[${DURATIONS.map((each) => `s.${each} + c.${each}`).join(', ')}]
    FROM unnest(cells) c WHERE ${IS_CELL};
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed < cardinality(cells) THEN INSERT INTO request_sums SELECT c.* FROM unnest(cells) c ON CONFLICT DO NOTHING; END IF;
END $$;

${reader('pending_request_sums()', `SELECT json_agg(json_build_object('id', id, 'sums', sums) ORDER BY id) FROM pending_sums`)}
-- Puts sums in place of the batches that they are of. @returns false, and does nothing, where another process has merged some.
CREATE OR REPLACE FUNCTION merge_request_sums(first int8, last int8, batches int8, sums json) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES} SET jit = off AS $$
BEGIN
  PERFORM FROM request_counts WHERE organization_id = '' FOR UPDATE;
  IF (SELECT count(*) FROM pending_sums WHERE id BETWEEN first AND last) <> batches THEN RETURN false; END IF;
  DELETE FROM pending_sums WHERE id BETWEEN first AND last;
  PERFORM add_sums(sums);
  RETURN true;
END $$;

-- Both as they were at one moment.
${reader(
  'sums_of_requests(query json, since_ms int8, until_ms int8)',
  `SELECT json_build_object('rows', statistics_of_requests(query, since_ms, until_ms), 'pending', (SELECT json_agg(sums) FROM pending_sums))`,
)}
-- Sums by fields, those with the highest counts first. Its statement is made for the query, so that it reads one range of one index.
CREATE OR REPLACE FUNCTION statistics_of_requests(query json, since_ms int8, until_ms int8) RETURNS json LANGUAGE plpgsql STABLE
${ON_INDEXES} SET jit = off AS $$
DECLARE
  grouped text := (SELECT coalesce(string_agg(format('%I, ', field), ''), '') FROM json_array_elements_text(query -> 'by') field);
  answer json;
BEGIN
  EXECUTE format(
    $sql$
      SELECT json_agg(page) FROM (
        SELECT %1$s sum(count) AS count, sum(cost)::text AS cost, sum(rescued) AS rescued,
          ARRAY[${DURATIONS.map((each) => `sum(${each})`).join(', ')}] AS durations
        FROM (SELECT *, organization_id AS "organizationId", at_ms AS "atMs" FROM request_sums) s
        WHERE %2$s AND of = $1 ->> 'of' AND step = $1 ->> 'step' AND at_ms >= $2 AND at_ms < $3 AND ${filteredBy({
          endpoint: 'endpoint = @',
          organizationId: 'organization_id = @',
          model: 'model = @',
          provider: 'provider = @',
          outcome: 'outcome = @',
        })}
        GROUP BY %1$s () HAVING count(*) > 0 ORDER BY sum(count) DESC LIMIT ${MAX_STATISTICS_ROWS}
      ) page
    $sql$,
    grouped,
    CASE WHEN query -> 'organizations' IS NULL THEN $condition$provider >= ''$condition$
      ELSE $condition$organization_id = ANY (ARRAY(SELECT json_array_elements_text($1 -> 'organizations')))$condition$ END
  ) INTO answer USING query, since_ms, until_ms;
  RETURN answer;
END $$;

-- Removes at most so many sums of an organization. @returns how many.
CREATE OR REPLACE FUNCTION erase_request_sums(of_organization text, most int8) RETURNS int8 LANGUAGE sql SECURITY DEFINER ${ON_INDEXES} SET jit = off AS $$
  -- Before any sum, as everyone who adds to them: one that is changed meanwhile would stay.
  SELECT FROM request_counts WHERE organization_id = '' FOR UPDATE;
  WITH gone AS (
    DELETE FROM request_sums WHERE ctid = ANY (ARRAY(SELECT ctid FROM request_sums WHERE organization_id = of_organization LIMIT most)) RETURNING 1
  ) SELECT count(*) FROM gone
$$;

-- Removes at most so many sums of hours, and of days, that began before a time. @returns how many.
CREATE OR REPLACE FUNCTION prune_request_sums(hour_ms int8, day_ms int8, most int8) RETURNS int8 LANGUAGE plpgsql SECURITY DEFINER ${ON_INDEXES}
SET enable_sort = off SET jit = off AS $$
DECLARE
  forgotten int8 := 0;
BEGIN
  ${['hour', 'day'].map((step) => forgetRows('request_sums', 'at_ms', `< ${step}_ms AND r.step = '${step}' AND r.provider >= ''`)).join('\n  ')}
  RETURN forgotten;
END $$;
`;
