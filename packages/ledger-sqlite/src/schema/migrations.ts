import { USAGE_TABLES } from './usage-tables.js';

/**
 * What brings a database from each version of the schema to the next: the first makes version 1. Never changed once published, only added to.
 *
 * Amounts are nanodollars, times milliseconds since the Unix epoch.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE searchgate_organization_totals (
    id TEXT PRIMARY KEY,
    credits INTEGER NOT NULL,
    usage INTEGER NOT NULL,
    held INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- The usage of the latest day, week and month is kept for every key, so that a change of its reset is exact at once.
  CREATE TABLE searchgate_key_totals (
    id TEXT PRIMARY KEY,
    usage INTEGER NOT NULL,
    held INTEGER NOT NULL,
    day_starts_at_ms INTEGER NOT NULL,
    day_usage INTEGER NOT NULL,
    week_starts_at_ms INTEGER NOT NULL,
    week_usage INTEGER NOT NULL,
    month_starts_at_ms INTEGER NOT NULL,
    month_usage INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE searchgate_holds (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    amount INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'settled', 'released', 'expired')),
    -- What was charged; NULL where nothing was, which is not the same as a charge of zero.
    cost INTEGER,
    -- NULL while the hold is open.
    ended_at_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX searchgate_open_holds_by_expiry ON searchgate_holds (expires_at_ms) WHERE ended_at_ms IS NULL;
  CREATE INDEX searchgate_holds_by_end ON searchgate_holds (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

  -- The log. Rows are only ever added, in the order of seq.
  CREATE TABLE searchgate_entries (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('grant', 'adjustment', 'charge', 'loss', 'expired')),
    id TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    key_id TEXT,
    amount INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    -- The latest at_ms up to here. It only grows, also where the clock was set back, so it finds the place of a time in the log.
    latest_ms INTEGER NOT NULL,
    -- The note of a grant or an adjustment, the reason of a loss.
    comment TEXT,
    model TEXT,
    provider TEXT,
    cost_source TEXT,
    late INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX searchgate_entries_applied_once ON searchgate_entries (kind, id) WHERE kind IN ('grant', 'adjustment');
  CREATE INDEX searchgate_entries_by_organization ON searchgate_entries (organization_id);
  CREATE INDEX searchgate_entries_by_key ON searchgate_entries (key_id) WHERE key_id IS NOT NULL;
  CREATE INDEX searchgate_entries_by_time ON searchgate_entries (latest_ms);
  -- Empty unless the clock was ever set back.
  CREATE INDEX searchgate_entries_out_of_order ON searchgate_entries (at_ms) WHERE at_ms < latest_ms;

  CREATE TABLE searchgate_organizations (
    id TEXT PRIMARY KEY,
    name TEXT,
    created_at_ms INTEGER NOT NULL,
    suspended_at_ms INTEGER
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
    revoked_at_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX searchgate_api_keys_by_creation ON searchgate_api_keys (created_at_ms, id);
  CREATE INDEX searchgate_api_keys_by_organization ON searchgate_api_keys (organization_id, created_at_ms, id);

  CREATE TABLE searchgate_claims (
    key_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    claim_id TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    -- When the name is free again.
    ends_at_ms INTEGER NOT NULL,
    -- The response to replay; NULL while the first call is under way.
    status INTEGER,
    body BLOB,
    PRIMARY KEY (key_id, idempotency_key)
  ) STRICT;
  CREATE INDEX searchgate_claims_by_end ON searchgate_claims (ends_at_ms);
  `,
  `
  -- The places of the log where the clock had been set back: the time of the entry there is before that of the entry in front of it. From one such
  -- place to the next times never fall, so the place of a time is found by halving, without an index of times.
  CREATE TABLE searchgate_clock_setbacks (
    seq INTEGER PRIMARY KEY
  ) STRICT;
  INSERT INTO searchgate_clock_setbacks (seq)
    SELECT seq FROM (SELECT seq, at_ms, lag(at_ms) OVER (ORDER BY seq) AS before_ms FROM searchgate_entries)
    WHERE at_ms < before_ms;
  DROP INDEX searchgate_entries_by_time;
  DROP INDEX searchgate_entries_out_of_order;
  ALTER TABLE searchgate_entries DROP COLUMN latest_ms;
  `,
  `
  -- The usage of a key before its latest day, week and month, instead of in them: a charge then changes one counter. Days are counted since the Unix epoch.
  CREATE TABLE searchgate_key_counters (
    id TEXT PRIMARY KEY,
    usage INTEGER NOT NULL,
    held INTEGER NOT NULL,
    latest_day INTEGER NOT NULL,
    before_day INTEGER NOT NULL,
    before_week INTEGER NOT NULL,
    before_month INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO searchgate_key_counters (id, usage, held, latest_day, before_day, before_week, before_month)
    SELECT id, usage, held, day_starts_at_ms / 86400000, usage - day_usage, usage - week_usage, usage - month_usage
    FROM searchgate_key_totals;
  DROP TABLE searchgate_key_totals;
  ALTER TABLE searchgate_key_counters RENAME TO searchgate_key_totals;
  `,
  `
  -- Places: how many open holds take one. Rates: what is used in requests, when that was, and from when on nothing of it is left; NULL where nothing was.
  ALTER TABLE searchgate_holds ADD COLUMN takes_place INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE searchgate_organization_totals ADD COLUMN in_flight INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE searchgate_organization_totals ADD COLUMN rate_used REAL;
  ALTER TABLE searchgate_organization_totals ADD COLUMN rate_at_ms INTEGER;
  ALTER TABLE searchgate_organization_totals ADD COLUMN rate_drains_at_ms INTEGER;
  ALTER TABLE searchgate_key_totals ADD COLUMN in_flight INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE searchgate_key_totals ADD COLUMN rate_used REAL;
  ALTER TABLE searchgate_key_totals ADD COLUMN rate_at_ms INTEGER;
  ALTER TABLE searchgate_key_totals ADD COLUMN rate_drains_at_ms INTEGER;
  UPDATE searchgate_organization_totals SET in_flight = open.holds
    FROM (SELECT organization_id, count(*) AS holds FROM searchgate_holds INDEXED BY searchgate_open_holds_by_expiry
      WHERE ended_at_ms IS NULL GROUP BY organization_id) AS open
    WHERE id = open.organization_id;
  UPDATE searchgate_key_totals SET in_flight = open.holds
    FROM (SELECT key_id, count(*) AS holds FROM searchgate_holds INDEXED BY searchgate_open_holds_by_expiry
      WHERE ended_at_ms IS NULL GROUP BY key_id) AS open
    WHERE id = open.key_id;

  -- Of a charge; NULL where it is not known.
  ALTER TABLE searchgate_entries ADD COLUMN upstream_cost INTEGER;

  -- Limits of rate and of calls at once; NULL for none.
  ALTER TABLE searchgate_organizations ADD COLUMN rate_requests INTEGER;
  ALTER TABLE searchgate_organizations ADD COLUMN rate_period_seconds INTEGER;
  ALTER TABLE searchgate_organizations ADD COLUMN max_concurrent INTEGER;
  ALTER TABLE searchgate_api_keys ADD COLUMN rate_requests INTEGER;
  ALTER TABLE searchgate_api_keys ADD COLUMN rate_period_seconds INTEGER;
  ALTER TABLE searchgate_api_keys ADD COLUMN max_concurrent INTEGER;
  `,
  USAGE_TABLES,
];
