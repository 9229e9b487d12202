/** How many calls or attempts took at most each of the bounds of durations, and how many longer. */
const DURATIONS = Array.from({ length: 17 }, (_, place) => `took_${place} INTEGER NOT NULL`);
const GROUP = 'endpoint, model, provider, outcome';

const NAME = `kind, at_ms, organization_id, ${GROUP}`.replaceAll(', ', ' || char(10) || ');
const COUNTS = `number, rescued, ${DURATIONS.map((_, place) => `took_${place}`).join(', ')}`;

/** Sums as texts, in place of the rows of version 6, which no release had: a package of it would miss their table. */
export const PENDING_SUMS = `
-- Sums of batches of calls, as JSON, until many are merged. No id comes twice: so a reader sees that some were merged meanwhile.
CREATE TABLE searchgate_pending_request_sums (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sums TEXT NOT NULL
) STRICT;
-- The sums of an organization in an hour or a day, as JSON.
CREATE TABLE searchgate_merged_request_sums (
  kind TEXT NOT NULL,
  step TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  organization_id TEXT NOT NULL,
  sums TEXT NOT NULL,
  PRIMARY KEY (kind, step, at_ms, organization_id)
) STRICT;
CREATE INDEX searchgate_merged_request_sums_by_organization ON searchgate_merged_request_sums (organization_id, kind, step, at_ms);
INSERT INTO searchgate_pending_request_sums (sums)
  SELECT json_group_array(json_array(${NAME}, CAST(cost AS TEXT), json_array(${COUNTS}))) FROM searchgate_request_sums
  WHERE step = 'hour' GROUP BY organization_id, at_ms;
DROP TABLE searchgate_request_sums;
`;

/**
 * Causes, asked providers and rescues of calls, and sums of calls and attempts by hour and day. A package of version 5 writes none of it and reads no column of it:
 * its calls are in no sums.
 */
export const SUMS_OF_REQUESTS = `
-- JSON; NULL for none.
ALTER TABLE searchgate_requests ADD COLUMN cause TEXT;
-- Ids, joined by spaces; NULL for none.
ALTER TABLE searchgate_requests ADD COLUMN attempted TEXT;
ALTER TABLE searchgate_requests ADD COLUMN attempt_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE searchgate_requests ADD COLUMN rescued INTEGER NOT NULL DEFAULT 0;
-- Their filters look through the calls in the order of time.
DROP INDEX searchgate_requests_by_key;
DROP INDEX searchgate_requests_by_model;
DROP INDEX searchgate_requests_by_tag;
DROP INDEX searchgate_failed_requests;

CREATE TABLE searchgate_request_sums (
  -- 'calls' or 'attempts'.
  kind TEXT NOT NULL,
  -- 'hour' or 'day'.
  step TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  organization_id TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  outcome TEXT NOT NULL,
  number INTEGER NOT NULL,
  -- At most the largest number of 64 bits.
  cost INTEGER NOT NULL,
  rescued INTEGER NOT NULL,
  ${DURATIONS.join(',\n  ')}
) STRICT;
-- An addition changes neither.
CREATE UNIQUE INDEX searchgate_request_sums_of_all ON searchgate_request_sums (kind, step, at_ms, organization_id, ${GROUP});
CREATE INDEX searchgate_request_sums_by_organization ON searchgate_request_sums (organization_id, kind, step, at_ms, ${GROUP});
`;
