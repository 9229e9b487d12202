import { BUDGETS } from './budget-tables.js';
import { PENDING_SUMS, SUMS_OF_REQUESTS } from './request-tables.js';
import { TEXTS_OF_REQUESTS } from './text-tables.js';

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

/** Amounts are nanodollars. Times are milliseconds, and days are days, since the Unix epoch. An empty text stands for none in a part of a primary key. */
const VERSION_1 = `
-- Counters. Slots: how many open holds use one. Rates: what is used in requests, when that was, and from when on nothing of it is left; NULL where
-- nothing was.
CREATE TABLE searchgate_organization_totals (
  id TEXT PRIMARY KEY,
  credits INTEGER NOT NULL,
  usage INTEGER NOT NULL,
  held INTEGER NOT NULL,
  in_flight INTEGER NOT NULL DEFAULT 0,
  rate_used REAL,
  rate_at_ms INTEGER,
  rate_drains_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- How much of the usage came before the latest day, its week and its month is kept for every key: so a charge changes one counter, and a change of the reset
-- is exact at once.
CREATE TABLE searchgate_key_totals (
  id TEXT PRIMARY KEY,
  usage INTEGER NOT NULL,
  held INTEGER NOT NULL,
  latest_day INTEGER NOT NULL,
  before_day INTEGER NOT NULL,
  before_week INTEGER NOT NULL,
  before_month INTEGER NOT NULL,
  in_flight INTEGER NOT NULL DEFAULT 0,
  rate_used REAL,
  rate_at_ms INTEGER,
  rate_drains_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE searchgate_holds (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  -- That was asked for; of a hold that was settled, that ran.
  model TEXT NOT NULL,
  amount INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'settled', 'released', 'expired')),
  -- What was charged; NULL where nothing was, which is not the same as a charge of zero.
  cost INTEGER,
  -- NULL while the hold is open.
  ended_at_ms INTEGER,
  uses_slot INTEGER NOT NULL DEFAULT 1,
  tag TEXT,
  created_at_ms INTEGER NOT NULL,
  -- Who served; NULL where no one did.
  provider TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_open_holds_by_expiry ON searchgate_holds (expires_at_ms) WHERE ended_at_ms IS NULL;
CREATE INDEX searchgate_holds_by_end ON searchgate_holds (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

-- The log, in the order of seq. Rows are never changed; what stands before a cursor may be removed.
CREATE TABLE searchgate_entries (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('grant', 'adjustment', 'charge', 'loss', 'expired')),
  id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  key_id TEXT,
  amount INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  -- The note of a grant or an adjustment, the reason of a loss.
  comment TEXT,
  model TEXT,
  provider TEXT,
  cost_source TEXT,
  late INTEGER,
  -- Of a charge; NULL where it is not known.
  upstream_cost INTEGER,
  tag TEXT
) STRICT;
CREATE UNIQUE INDEX searchgate_entries_applied_once ON searchgate_entries (organization_id, kind, id) WHERE kind IN ('grant', 'adjustment');
CREATE INDEX searchgate_entries_by_organization ON searchgate_entries (organization_id);
CREATE INDEX searchgate_entries_by_key ON searchgate_entries (key_id) WHERE key_id IS NOT NULL;

-- The places of the log where the clock had been set back: the time of the entry there is before that of the entry in front of it. From one such
-- place to the next times never fall, so the place of a time is found by halving, without an index of times.
CREATE TABLE searchgate_clock_setbacks (
  seq INTEGER PRIMARY KEY
) STRICT;

-- Where the log begins: what stood before first_seq is in the checkpoint, and gone, except grants and adjustments.
CREATE TABLE searchgate_log (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  first_seq INTEGER NOT NULL
) STRICT;
INSERT INTO searchgate_log VALUES (1, 1);

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

-- The sums of all time of what has one organization, key, model and tag in common.
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

-- The registry. Limits of rate and of calls at once are NULL for none.
CREATE TABLE searchgate_organizations (
  id TEXT PRIMARY KEY,
  name TEXT,
  created_at_ms INTEGER NOT NULL,
  suspended_at_ms INTEGER,
  rate_requests INTEGER,
  rate_period_ms INTEGER,
  max_concurrent INTEGER,
  operator_pays INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_organizations_by_creation ON searchgate_organizations (created_at_ms, id);

CREATE TABLE searchgate_api_keys (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  organization_id TEXT NOT NULL,
  label TEXT NOT NULL,
  spend_limit INTEGER,
  limit_reset TEXT,
  -- A JSON array.
  allowed_models TEXT,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER,
  rate_requests INTEGER,
  rate_period_ms INTEGER,
  max_concurrent INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_api_keys_by_creation ON searchgate_api_keys (created_at_ms, id);
CREATE INDEX searchgate_api_keys_by_organization ON searchgate_api_keys (organization_id, created_at_ms, id);

-- Of Idempotency-Keys.
CREATE TABLE searchgate_claims (
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  claim_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  -- When the name is free again.
  ends_at_ms INTEGER NOT NULL,
  -- Whose responses are erased together, without an index: that is rare, and claims are many.
  organization_id TEXT,
  -- The response to replay; NULL while the first call is under way.
  status INTEGER,
  body BLOB,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT;
CREATE INDEX searchgate_claims_by_end ON searchgate_claims (ends_at_ms);

-- Who changed what, by ids in the order of time. Each text is a record in JSON.
CREATE TABLE searchgate_changes (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_changes_by_organization ON searchgate_changes (organization_id);

-- The processes that share the ledger: a row in JSON each, of the last minute.
CREATE TABLE searchgate_instances (
  id TEXT PRIMARY KEY,
  seen_at_ms INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_instances_by_time ON searchgate_instances (seen_at_ms);

-- The log of calls, for operators: bounded, and apart from money.
CREATE TABLE searchgate_requests (
  request_id TEXT PRIMARY KEY,
  answer_id TEXT,
  at_ms INTEGER NOT NULL,
  endpoint TEXT NOT NULL,
  key_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  tag TEXT,
  model_asked TEXT,
  model TEXT,
  provider TEXT,
  status INTEGER NOT NULL,
  reason TEXT,
  stream INTEGER NOT NULL,
  cache TEXT,
  cost INTEGER,
  upstream_cost INTEGER,
  loss INTEGER NOT NULL,
  duration_ms REAL NOT NULL,
  upstream_ms REAL NOT NULL,
  first_part_ms REAL,
  -- A JSON array.
  attempts TEXT NOT NULL
) STRICT;
CREATE INDEX searchgate_requests_by_time ON searchgate_requests (at_ms, request_id);
CREATE INDEX searchgate_requests_by_answer ON searchgate_requests (answer_id) WHERE answer_id IS NOT NULL;
CREATE INDEX searchgate_requests_by_organization ON searchgate_requests (organization_id, at_ms, request_id);
CREATE INDEX searchgate_requests_by_key ON searchgate_requests (key_id, at_ms, request_id);
CREATE INDEX searchgate_requests_by_model ON searchgate_requests (model, at_ms, request_id);
CREATE INDEX searchgate_requests_by_tag ON searchgate_requests (tag, at_ms, request_id) WHERE tag IS NOT NULL;
CREATE INDEX searchgate_failed_requests ON searchgate_requests (at_ms, request_id) WHERE status >= 400;

-- How many calls of each organization are in the log; of all, with an empty text.
CREATE TABLE searchgate_request_counts (
  organization_id TEXT PRIMARY KEY,
  calls INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_request_counts_by_calls ON searchgate_request_counts (calls, organization_id);
`;

/**
 * Rules of domains, vendor keys of organizations, and calls that use such a key. A package of version 4 writes none of it and reads no column of it: so it is
 * right while nobody has set any.
 */
const TENANTS = `
-- JSON; NULL for none.
ALTER TABLE searchgate_organizations ADD COLUMN domains TEXT;
ALTER TABLE searchgate_api_keys ADD COLUMN domains TEXT;
-- What the vendor billed to the organization; NULL where the key was the operator's.
ALTER TABLE searchgate_entries ADD COLUMN tenant_cost INTEGER;
-- Ids, as of an entry.
ALTER TABLE searchgate_requests ADD COLUMN budgets TEXT;
ALTER TABLE searchgate_requests ADD COLUMN byok INTEGER NOT NULL DEFAULT 0;

-- Encrypted. An organization has one for each of few providers.
CREATE TABLE searchgate_tenant_keys (
  organization_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  host_key_id TEXT NOT NULL,
  last_characters TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, provider_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_tenant_keys_by_host_key ON searchgate_tenant_keys (host_key_id);
`;

/** What brings a database from a version of the schema to the next one. */
export interface Migration {
  readonly step: string;
  /** The oldest version whose package may still read and write after the step. So a change takes two releases: one that can use it, and one that needs it. */
  readonly readableFrom: number;
}

/** The first makes version 1. Never changed once published, only added to. */
export const MIGRATIONS: readonly Migration[] = [
  { step: VERSION_1, readableFrom: 1 },
  // Version 1 serves no other version than its own.
  { step: 'ALTER TABLE searchgate_schema ADD COLUMN readable_from INTEGER NOT NULL DEFAULT 2', readableFrom: 2 },
  { step: BUDGETS, readableFrom: 2 },
  // Budgets are enforced: version 2 knows none.
  { step: '', readableFrom: 3 },
  { step: TENANTS, readableFrom: 4 },
  { step: SUMS_OF_REQUESTS, readableFrom: 5 },
  { step: PENDING_SUMS + TEXTS_OF_REQUESTS, readableFrom: 7 },
];
