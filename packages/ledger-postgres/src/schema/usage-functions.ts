import { MAX_TAGGED_ROWS } from '@searchgate/core/ledger';
import { modelIn } from './tables.js';

const COUNTS = ['entries', 'charges', 'cached_charges'] as const;
const AMOUNTS = ['charged', 'cached', 'upstream_cost', 'adjusted', 'granted', 'lost'] as const;

/** Finds the row of a cell by the unique index. */
const IS_CELL = `s.organization_id = c.organization_id AND s.level = c.level AND s.period = c.period AND s.key_id = c.key_id AND s.tag = c.tag
      AND ${modelIn('s')} = ${modelIn('c')} AND s.budgets = c.budgets`;

const IS_CHARGE = `e.kind = 'charge'`;
const IS_CACHED = `e.kind = 'charge' AND e.cost_source IN ('cached', 'shared')`;

/** What one entry adds, in the order of {@link COUNTS} and {@link AMOUNTS}. */
const ADDENDS = [
  '1',
  `(${IS_CHARGE})::int4`,
  `(${IS_CACHED})::int4`,
  `CASE WHEN ${IS_CHARGE} THEN e.amount END`,
  `CASE WHEN ${IS_CACHED} THEN e.amount END`,
  'e.upstream_cost',
  `CASE e.kind WHEN 'adjustment' THEN e.amount END`,
  `CASE e.kind WHEN 'grant' THEN e.amount END`,
  `CASE e.kind WHEN 'loss' THEN e.amount END`,
];

/** Of a cell: empty where its level has none. */
function named(field: string): string {
  return `CASE l.level WHEN 'organization' THEN '' ELSE coalesce(${field}, '') END`;
}

const BUDGETS = `array_to_string(e.budgets, ' ')`;

const PERIOD = `CASE l.level WHEN 'month' THEN month_number(e.at_ms) ELSE (e.at_ms / 86400000)::int4 END`;

/** The cells of entries, as rows of the table. */
function cellsOf(addends: readonly string[]): string {
  return `SELECT ${addends.slice(0, COUNTS.length).join(', ')}, ${PERIOD}, l.level, e.organization_id, ${named('e.key_id')}, ${named('e.model')}, ${named('e.tag')},
        ${addends.slice(COUNTS.length).join(', ')}, ${named(BUDGETS)}
      FROM unnest(written) e, (VALUES ('day'), ('month'), ('organization')) l (level) WHERE e.kind <> 'expired'`;
}

/** How the log is added up, in the transaction that writes it. */
export const USAGE_FUNCTIONS = /* sql */ `
-- Months since January 1970, in UTC.
CREATE OR REPLACE FUNCTION month_number(at_ms int8) RETURNS int4 LANGUAGE sql IMMUTABLE AS $$
  SELECT ((extract(year FROM date '1970-01-01' + (at_ms / 86400000)::int4) - 1970) * 12
    + extract(month FROM date '1970-01-01' + (at_ms / 86400000)::int4) - 1)::int4
$$;

-- Adds entries of organizations whose counters the caller has locked: so no one else makes or changes their rows. These are there as a rule, and to update
-- rows costs less than to insert them and find out. An entry that comes alone needs no grouping.
CREATE OR REPLACE FUNCTION add_to_sums(written entries[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  cells usage_sums[];
  updated int8;
BEGIN
  IF has_new_tags(written) THEN
    FOR n IN 1 .. cardinality(written) LOOP
      IF written[n].tag IS NOT NULL THEN written[n] := tagged_within_bounds(written[n]); END IF;
    END LOOP;
  END IF;
  IF cardinality(written) = 1 THEN
    cells := ARRAY(SELECT ROW(n.*)::usage_sums FROM (${cellsOf(ADDENDS)}) n);
  ELSIF cardinality(written) > 1 THEN
    cells := ARRAY(SELECT ROW(n.*)::usage_sums FROM (${cellsOf(ADDENDS.map((addend) => `sum(${addend})`))}
      GROUP BY 4, 5, 6, 7, 8, 9, 16) n);
  END IF;
  IF coalesce(cardinality(cells), 0) = 0 THEN RETURN; END IF;
  UPDATE usage_sums s SET
      ${COUNTS.map((count) => `${count} = s.${count} + c.${count}`).join(', ')},
      ${AMOUNTS.map((sum) => `${sum} = coalesce(s.${sum} + c.${sum}, s.${sum}, c.${sum})`).join(',\n      ')}
    FROM unnest(cells) c
    WHERE ${IS_CELL};
  GET DIAGNOSTICS updated = ROW_COUNT;
  IF updated < cardinality(cells) THEN INSERT INTO usage_sums SELECT c.* FROM unnest(cells) c ON CONFLICT DO NOTHING; END IF;
END $$;

-- Whether an entry has a tag its key has not been seen with that day.
CREATE OR REPLACE FUNCTION has_new_tags(written entries[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  FOR n IN 1 .. coalesce(cardinality(written), 0) LOOP
    IF written[n].tag IS NOT NULL THEN
      RETURN EXISTS (
        SELECT FROM (
          SELECT 'day' AS level, (e.at_ms / 86400000)::int4 AS period, e.organization_id, e.key_id, e.model, e.tag,
            coalesce(${BUDGETS}, '') AS budgets
          FROM unnest(written) e WHERE e.tag IS NOT NULL
        ) c
        -- Not as a join, which a planner might begin at the other end.
        WHERE (SELECT s.period FROM usage_sums s WHERE ${IS_CELL}) IS NULL
      );
    END IF;
  END LOOP;
  RETURN false;
END $$;

-- The entry, without its tag where its key has no room for one more that day. Makes the row that takes the room.
CREATE OR REPLACE FUNCTION tagged_within_bounds(e entries) RETURNS entries LANGUAGE plpgsql AS $$
DECLARE
  c usage_sums := ROW(0, 0, 0, e.at_ms / 86400000, 'day', e.organization_id, e.key_id, e.model, e.tag, NULL, NULL, NULL, NULL, NULL, NULL,
    coalesce(${BUDGETS}, ''))::usage_sums;
BEGIN
  IF EXISTS (SELECT FROM usage_sums s WHERE ${IS_CELL}) THEN RETURN e; END IF;
  PERFORM FROM usage_sums s
    WHERE s.organization_id = c.organization_id AND s.level = 'day' AND s.period = c.period AND s.key_id = c.key_id AND s.tag > ''
    OFFSET ${MAX_TAGGED_ROWS - 1} LIMIT 1;
  IF FOUND THEN
    e.tag := NULL;
  ELSE
    INSERT INTO usage_sums SELECT c.*;
  END IF;
  RETURN e;
END $$;
`;
