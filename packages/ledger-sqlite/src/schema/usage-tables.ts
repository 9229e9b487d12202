/** How many entries there are, and what they add up to. */
const SUMS = `entries INTEGER NOT NULL,
  charges INTEGER NOT NULL,
  cached_charges INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  upstream_cost INTEGER NOT NULL,
  adjusted INTEGER NOT NULL,
  granted INTEGER NOT NULL,
  lost INTEGER NOT NULL`;

/** Version 5: tags, what is known of a hold, sums of the log, and what was removed from it. Part of the migrations: never changed once published. */
export const USAGE_TABLES = `
-- A tag is kept with a hold, its charge and its losses. Of holds from before this version it is not known when they were made.
ALTER TABLE searchgate_holds ADD COLUMN tag TEXT;
ALTER TABLE searchgate_holds ADD COLUMN created_at_ms INTEGER;
-- Who served; NULL where no one did.
ALTER TABLE searchgate_holds ADD COLUMN provider TEXT;
ALTER TABLE searchgate_entries ADD COLUMN tag TEXT;

-- Where the log begins: what stood before first_seq is in the checkpoint, and gone, except grants and adjustments. And which part of it was written
-- before there were sums: what of that is still to be added to them.
CREATE TABLE searchgate_log (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  first_seq INTEGER NOT NULL,
  unsummed_from INTEGER NOT NULL,
  unsummed_to INTEGER NOT NULL
) STRICT;
INSERT INTO searchgate_log SELECT 1, 1, 1, coalesce(max(seq), 0) + 1 FROM searchgate_entries;

-- What the log before first_seq added up to.
CREATE TABLE searchgate_organization_checkpoints (
  id TEXT PRIMARY KEY,
  credits INTEGER NOT NULL,
  usage INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE searchgate_key_checkpoints (
  id TEXT PRIMARY KEY,
  usage INTEGER NOT NULL,
  latest_day INTEGER NOT NULL,
  before_day INTEGER NOT NULL,
  before_week INTEGER NOT NULL,
  before_month INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The sums of all time of what has one organization, key, model and tag in common; an empty text stands for none. Days are counted since the Unix epoch.
CREATE TABLE searchgate_usage (
  series INTEGER PRIMARY KEY,
  organization_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  tag TEXT NOT NULL,
  latest_day INTEGER NOT NULL,
  ${SUMS}
) STRICT;
CREATE UNIQUE INDEX searchgate_usage_of_all ON searchgate_usage (organization_id, key_id, model, tag);
CREATE INDEX searchgate_usage_of_organization ON searchgate_usage (organization_id);
CREATE INDEX searchgate_usage_of_key ON searchgate_usage (key_id);

-- What those sums were when a day began, for every day with an entry. So the sums of any days are the difference of two rows, and an entry changes none
-- but the first one of a day.
CREATE TABLE searchgate_usage_openings (
  series INTEGER NOT NULL,
  day INTEGER NOT NULL,
  ${SUMS},
  PRIMARY KEY (series, day)
) STRICT, WITHOUT ROWID;

-- The sums of one day of an organization, whatever its keys are. The rows that change, those of today, lie together.
CREATE TABLE searchgate_usage_by_day (
  day INTEGER NOT NULL,
  organization_id TEXT NOT NULL,
  ${SUMS},
  PRIMARY KEY (day, organization_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_usage_days_of_organization ON searchgate_usage_by_day (organization_id, day);

-- How many rows with a tag a key has on its latest day.
CREATE TABLE searchgate_usage_tags (
  organization_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  day INTEGER NOT NULL,
  tagged INTEGER NOT NULL,
  PRIMARY KEY (organization_id, key_id)
) STRICT, WITHOUT ROWID;
`;
