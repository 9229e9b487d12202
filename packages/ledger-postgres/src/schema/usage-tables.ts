/**
 * Tells models apart in an index, whose rows have a bound: a long one by its digest. As a text, since a statement that finds a row by this index has to say
 * the same.
 */
export const MODEL_IN_INDEX = `(CASE WHEN octet_length(model) <= 512 THEN model ELSE md5(model) END)`;

/**
 * Tags, what is known of a hold, sums of the log, and what was removed from it.
 *
 * A row of sums is of one of three levels: `day` (of an organization, a key, a model and a tag on one day), `month` (the same in one month) and
 * `organization` (all of an organization on one day). An empty text stands for a key, a model or a tag there is none of. Periods are days and months since
 * January 1970. Every row is of one organization, whose counters its writers have locked, so they never wait for each other here.
 *
 * Sums of money are `numeric`: no counter bounds what was charged and what was adjusted each by itself, and a sum that is at its bound must not stop a
 * settle. Where there is nothing to add up they are null, which costs neither room nor time.
 */
export const USAGE_TABLES = /* sql */ `
ALTER TABLE entries ADD COLUMN tag text;
-- When a hold was made is not known of those of before.
ALTER TABLE holds ADD COLUMN tag text, ADD COLUMN created_at_ms int8, ADD COLUMN served_model text, ADD COLUMN provider text;
ALTER TYPE operation ADD ATTRIBUTE tag text;

CREATE TABLE usage_sums (
  -- Of all kinds that move money, so that it is known where nothing is left when sums are subtracted.
  entries int8 NOT NULL,
  charges int8 NOT NULL,
  cached_charges int8 NOT NULL,
  period int4 NOT NULL,
  level text COLLATE "C" NOT NULL CHECK (level IN ('day', 'month', 'organization')),
  organization_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  charged numeric,
  cached numeric,
  upstream_cost numeric,
  adjusted numeric,
  granted numeric,
  lost numeric
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX usage_sums_cells ON usage_sums (organization_id, level, period, key_id, tag, ${MODEL_IN_INDEX});
-- Partial, though the second has every row: so only statements that say the same use them, and no plan takes them for those that find one cell.
CREATE INDEX usage_sums_of_key ON usage_sums (key_id, level, period) WHERE key_id > '';
CREATE INDEX usage_sums_of_period ON usage_sums (level, period) WHERE model >= '';

-- How far the sums of what was written before they were kept have been filled: one row. What comes behind that position sums itself up.
CREATE TABLE usage_fill (
  one int4 PRIMARY KEY DEFAULT 1 CHECK (one = 1),
  last_position int8 NOT NULL,
  organization_id text COLLATE "C" NOT NULL DEFAULT '',
  at_ms int8 NOT NULL DEFAULT 0,
  position int8 NOT NULL DEFAULT 0,
  is_filled boolean NOT NULL DEFAULT false
);
INSERT INTO usage_fill (last_position) SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM entries_position_seq;

-- What was removed from the log, added up. The columns of a key are those of key_usages.
CREATE TABLE removed_of_organizations (
  organization_id text COLLATE "C" PRIMARY KEY,
  usage numeric NOT NULL
);
CREATE TABLE removed_of_keys (
  key_id text COLLATE "C" PRIMARY KEY,
  usage numeric NOT NULL,
  latest_entry_ms int8 NOT NULL,
  usage_before_day numeric NOT NULL,
  usage_before_week numeric NOT NULL,
  usage_before_month numeric NOT NULL
);
`;
