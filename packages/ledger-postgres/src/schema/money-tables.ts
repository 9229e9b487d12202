/**
 * The tables of money. Ids compare by their bytes (`COLLATE "C"`), amounts are nanodollars and times milliseconds since the Unix epoch, all
 * `int8`: what does not fit is refused before, and the type refuses it once more.
 *
 * The rows of counters are updated by every operation; the room left in their pages keeps old versions from reaching the indexes
 * (heap-only tuples: https://www.postgresql.org/docs/15/storage-hot.html, 2026-11-21).
 */
export const MONEY_TABLES = /* sql */ `
CREATE TABLE organization_balances (
  organization_id text COLLATE "C" PRIMARY KEY,
  credits int8 NOT NULL DEFAULT 0 CHECK (credits >= 0),
  usage int8 NOT NULL DEFAULT 0,
  held int8 NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- Its clock: entries of an organization are never stamped earlier than the one before.
  latest_entry_ms int8 NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE key_usages (
  key_id text COLLATE "C" PRIMARY KEY,
  usage int8 NOT NULL DEFAULT 0,
  held int8 NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- When it was last used. How much of the usage came before that day, week and month tells the usage of all three.
  latest_entry_ms int8 NOT NULL DEFAULT 0,
  usage_before_day int8 NOT NULL DEFAULT 0,
  usage_before_week int8 NOT NULL DEFAULT 0,
  usage_before_month int8 NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE holds (
  hold_id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  amount int8 NOT NULL CHECK (amount >= 0),
  model text NOT NULL,
  expires_at_ms int8 NOT NULL,
  -- Which call made it, and which ended it: a call that is sent again after its answer was lost recognizes its own work.
  token uuid NOT NULL,
  ending_token uuid,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'settled', 'released', 'expired')),
  charged int8 CHECK (charged >= 0),
  ended_at_ms int8 CHECK ((status = 'open') = (ended_at_ms IS NULL))
);
CREATE INDEX holds_due ON holds (expires_at_ms) WHERE ended_at_ms IS NULL;
CREATE INDEX holds_ended ON holds (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

CREATE TABLE entries (
  at_ms int8 NOT NULL,
  position int8 GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL CHECK (kind IN ('grant', 'adjustment', 'charge', 'loss', 'expired')),
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C",
  amount int8 NOT NULL,
  note text,
  model text,
  provider text,
  cost_source text,
  late boolean,
  reason text,
  token uuid,
  PRIMARY KEY (at_ms, position),
  UNIQUE (id, kind)
);
CREATE INDEX entries_of_organization ON entries (organization_id, at_ms, position);
CREATE INDEX entries_of_key ON entries (key_id, at_ms, position) WHERE key_id IS NOT NULL;

-- What a call asks for, as it arrives.
CREATE TYPE verb AS (
  ordinal int8,
  verb text,
  id text,
  organization_id text,
  key_id text,
  amount int8,
  key_limit int8,
  key_limit_reset text,
  time_ms int8,
  model text,
  provider text,
  cost_source text,
  note text,
  losses json,
  token uuid
);
`;
