/**
 * Tells models apart in an index, whose rows have a bound: a long one by its digest. As a text, since a statement that finds a row by this index has to say
 * the same.
 */
export const MODEL_IN_INDEX = `(CASE WHEN octet_length(model) <= 512 THEN model ELSE md5(model) END)`;

/** The same of a row. */
export function modelIn(row: string): string {
  return MODEL_IN_INDEX.replaceAll('model', `${row}.model`);
}

/** Slots; how much of a rate is used, in requests; when that was; and from when on nothing of it is left. */
const ADMISSION = `in_flight int8 NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  rate_used float8 NOT NULL DEFAULT 0,
  rate_at_ms int8 NOT NULL DEFAULT 0,
  rate_drains_at_ms int8 NOT NULL DEFAULT 0,
  forget_at_ms int8 DEFAULT 0`;

/** Of a key or a budget. How much of the usage came before the day, week and month of its last use tells the usage of all three. */
export const WINDOWED = `usage int8 NOT NULL DEFAULT 0,
  held int8 NOT NULL DEFAULT 0 CHECK (held >= 0),
  latest_entry_ms int8 NOT NULL DEFAULT 0,
  usage_before_day int8 NOT NULL DEFAULT 0,
  usage_before_week int8 NOT NULL DEFAULT 0,
  usage_before_month int8 NOT NULL DEFAULT 0`;

/**
 * All tables and types, in the schema of the ledger. Ids compare by their bytes (`COLLATE "C"`), amounts are nanodollars and times milliseconds since the Unix
 * epoch, all `int8`: what does not fit is refused before, and the type refuses it once more.
 *
 * Functions make rows with `ROW(…)`, in the order of the columns.
 */
export const TABLES = /* sql */ `
-- Counters. They are updated by every operation; the room left in their pages keeps old versions of a row from reaching the indexes (heap-only tuples:
-- https://www.postgresql.org/docs/15/storage-hot.html, 2026-11-21). Slots and rates are counted here, since a hold writes these rows anyway. A row that was
-- made for a rate alone may go when the rate has drained, and a new one is for nothing yet (0). For all others forget_at_ms is null: they are in no index
-- of it, so that their updates reach none.
CREATE TABLE organization_balances (
  organization_id text COLLATE "C" PRIMARY KEY,
  credits int8 NOT NULL DEFAULT 0 CHECK (credits >= 0),
  usage int8 NOT NULL DEFAULT 0,
  held int8 NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- Its clock: entries of an organization are never stamped earlier than the one before.
  latest_entry_ms int8 NOT NULL DEFAULT 0,
  ${ADMISSION}
) WITH (fillfactor = 50);
CREATE INDEX organization_balances_drained ON organization_balances (forget_at_ms) WHERE forget_at_ms IS NOT NULL;

CREATE TABLE key_usages (
  key_id text COLLATE "C" PRIMARY KEY,
  ${WINDOWED},
  ${ADMISSION}
) WITH (fillfactor = 50);
CREATE INDEX key_usages_drained ON key_usages (forget_at_ms) WHERE forget_at_ms IS NOT NULL;

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
  ended_at_ms int8 CHECK ((status = 'open') = (ended_at_ms IS NULL)),
  uses_slot boolean NOT NULL DEFAULT true,
  tag text,
  created_at_ms int8 NOT NULL,
  -- What ran, and who served it.
  served_model text,
  provider text
);
CREATE INDEX holds_due ON holds (expires_at_ms) WHERE ended_at_ms IS NULL;
CREATE INDEX holds_ended ON holds (ended_at_ms) WHERE ended_at_ms IS NOT NULL;

-- The log.
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
  -- What of a charge the operator owes the provider, where it is known.
  upstream_cost int8,
  tag text,
  PRIMARY KEY (at_ms, position),
  UNIQUE (id, kind, organization_id)
);
CREATE INDEX entries_of_organization ON entries (organization_id, at_ms, position);
CREATE INDEX entries_of_key ON entries (key_id, at_ms, position) WHERE key_id IS NOT NULL;

-- Sums of the log. A row is of one of three levels: day (of an organization, a key, a model and a tag on one day), month (the same in one month) and
-- organization (all of an organization on one day). An empty text stands for a key, a model or a tag there is none of. Periods are days and months since
-- January 1970. Every row is of one organization, whose counters its writers have locked, so they never wait for each other here.
--
-- Sums of money are numeric: no counter bounds what was charged and what was adjusted each by itself, and a sum that is at its bound must not stop a
-- settle. Where there is nothing to add up they are null, which costs neither room nor time.
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

-- The registry of keys and organizations, which only administration writes.
CREATE TABLE organizations (
  id text COLLATE "C" PRIMARY KEY,
  name text,
  created_at_ms int8 NOT NULL,
  suspended_at_ms int8,
  -- Which call made it: see holds.
  token uuid NOT NULL,
  rate_limit json,
  max_concurrent int4 CHECK (max_concurrent >= 1),
  operator_pays boolean NOT NULL DEFAULT false
);
CREATE INDEX organizations_in_order ON organizations (created_at_ms, id);

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  hash text COLLATE "C" NOT NULL UNIQUE,
  organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
  label text NOT NULL,
  key_limit int8 CHECK (key_limit >= 0),
  limit_reset text CHECK (limit_reset IN ('daily', 'weekly', 'monthly')),
  allowed_models json,
  created_at_ms int8 NOT NULL,
  expires_at_ms int8,
  revoked_at_ms int8,
  token uuid NOT NULL,
  rate_limit json,
  max_concurrent int4 CHECK (max_concurrent >= 1)
);
CREATE INDEX api_keys_in_order ON api_keys (created_at_ms, id);
CREATE INDEX api_keys_of_organization ON api_keys (organization_id, created_at_ms, id);

-- Claims of Idempotency-Keys. A row is a name that is claimed or finished until until_ms; after that it is free, whether the row is there or not.
CREATE TABLE claims (
  key_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  claim_id text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  until_ms int8 NOT NULL,
  -- Both set when the claim is finished. The body is a JSON text, which unlike the body itself can hold every character.
  status int4,
  body text,
  -- Which call freed it: see holds.
  freeing_token uuid,
  -- Whose responses are erased together, without an index: that is rare, and claims are many.
  organization_id text COLLATE "C",
  PRIMARY KEY (key_id, idempotency_key)
);
CREATE INDEX claims_over ON claims (until_ms);

-- The log of calls, for operators: bounded, and apart from money.
CREATE TABLE requests (
  request_id text COLLATE "C" PRIMARY KEY,
  answer_id text COLLATE "C",
  at_ms int8 NOT NULL,
  endpoint text NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  tag text COLLATE "C",
  model_asked text,
  model text COLLATE "C",
  provider text COLLATE "C",
  status int4 NOT NULL,
  reason text,
  stream boolean NOT NULL,
  cache text,
  cost int8,
  upstream_cost int8,
  loss int8 NOT NULL,
  duration_ms float8 NOT NULL,
  upstream_ms float8 NOT NULL,
  first_part_ms float8,
  attempts json NOT NULL
);
CREATE INDEX requests_by_time ON requests (at_ms, request_id);
CREATE INDEX requests_by_answer ON requests (answer_id) WHERE answer_id IS NOT NULL;
CREATE INDEX requests_by_organization ON requests (organization_id, at_ms, request_id);
CREATE INDEX requests_by_key ON requests (key_id, at_ms, request_id);
CREATE INDEX requests_by_model ON requests (${MODEL_IN_INDEX}, at_ms, request_id);
CREATE INDEX requests_by_tag ON requests (tag, at_ms, request_id) WHERE tag IS NOT NULL;
CREATE INDEX requests_failed ON requests ((status / 100), at_ms, request_id) WHERE status >= 400;

-- How many calls of each organization are in the log; of all, with an empty text. A trigger counts them.
CREATE TABLE request_counts (
  organization_id text COLLATE "C" PRIMARY KEY,
  calls int8 NOT NULL
);
CREATE INDEX request_counts_by_calls ON request_counts (calls) WHERE organization_id > '';

-- Who changed what, by ids in the order of time. Each text is a record in JSON.
CREATE TABLE changes (
  id text COLLATE "C" PRIMARY KEY,
  organization_id text COLLATE "C" NOT NULL,
  text text NOT NULL
);
CREATE INDEX changes_by_organization ON changes (organization_id);

-- The processes that share the ledger: a row in JSON each, of the last minute.
CREATE TABLE instances (
  id text COLLATE "C" PRIMARY KEY,
  seen_at_ms int8 NOT NULL,
  text text NOT NULL
);
CREATE INDEX instances_by_time ON instances (seen_at_ms);

CREATE TYPE rate_limit AS (requests float8, period_ms float8);

-- What a call asks for, as it arrives.
CREATE TYPE operation AS (
  ordinal int8,
  operation text,
  id text,
  organization_id text,
  key_id text,
  amount int8,
  key_limit int8,
  key_limit_reset text,
  operator_pays boolean,
  time_ms int8,
  model text,
  provider text,
  cost_source text,
  note text,
  losses json,
  token uuid,
  acceptable_amounts int8[],
  uses_slot boolean,
  key_max_concurrent int8,
  organization_max_concurrent int8,
  key_rate rate_limit,
  organization_rate rate_limit,
  upstream_cost int8,
  turn int8,
  tag text
);

-- What an operation does, which is decided first, and written for all of a batch together.
CREATE TYPE outcome AS (
  -- Of the operation, as JSON.
  answer json,
  -- Whether it changes money: then its counters are never forgotten.
  is_counted boolean,
  -- When its usage counts; null where it has none.
  stamp_ms int8,
  -- What is added to the counters.
  credits int8,
  usage int8,
  held int8,
  in_flight int4,
  -- What is used of rates from now on; null where that stays as it is.
  key_rate_used float8,
  organization_rate_used float8,
  -- The hold as it is then, and what is written in the log.
  hold holds,
  entry entries,
  more_entries entries[]
);
`;
