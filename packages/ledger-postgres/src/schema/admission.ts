/**
 * Places and rates, in the rows of counters that a hold writes anyway. A row that was made for a rate alone may go when the rate has drained, and only such
 * rows are in the indexes: for all others `forget_at_ms` stays null, so that their updates reach no index.
 */
export const ADMISSION = /* sql */ `
ALTER TABLE organization_balances
  ADD COLUMN in_flight int8 NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  ADD COLUMN rate_used float8 NOT NULL DEFAULT 0,
  ADD COLUMN rate_at_ms int8 NOT NULL DEFAULT 0,
  ADD COLUMN rate_drains_at_ms int8 NOT NULL DEFAULT 0,
  ADD COLUMN forget_at_ms int8;
ALTER TABLE key_usages
  ADD COLUMN in_flight int8 NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  ADD COLUMN rate_used float8 NOT NULL DEFAULT 0,
  ADD COLUMN rate_at_ms int8 NOT NULL DEFAULT 0,
  ADD COLUMN rate_drains_at_ms int8 NOT NULL DEFAULT 0,
  ADD COLUMN forget_at_ms int8;
-- A new row is for nothing yet. Those that were there are for money.
ALTER TABLE organization_balances ALTER COLUMN forget_at_ms SET DEFAULT 0;
ALTER TABLE key_usages ALTER COLUMN forget_at_ms SET DEFAULT 0;
CREATE INDEX organization_balances_drained ON organization_balances (forget_at_ms) WHERE forget_at_ms IS NOT NULL;
CREATE INDEX key_usages_drained ON key_usages (forget_at_ms) WHERE forget_at_ms IS NOT NULL;

ALTER TABLE holds ADD COLUMN takes_place boolean NOT NULL DEFAULT true;
UPDATE organization_balances o SET in_flight = h.open
  FROM (SELECT organization_id, count(*) AS open FROM holds WHERE ended_at_ms IS NULL GROUP BY organization_id) h
  WHERE h.organization_id = o.organization_id;
UPDATE key_usages k SET in_flight = h.open
  FROM (SELECT key_id, count(*) AS open FROM holds WHERE ended_at_ms IS NULL GROUP BY key_id) h
  WHERE h.key_id = k.key_id;

-- What of a charge the operator owes the provider, where it is known.
ALTER TABLE entries ADD COLUMN upstream_cost int8;
ALTER TABLE organizations ADD COLUMN rate_limit json, ADD COLUMN max_concurrent int4 CHECK (max_concurrent >= 1);
ALTER TABLE api_keys ADD COLUMN rate_limit json, ADD COLUMN max_concurrent int4 CHECK (max_concurrent >= 1);

CREATE TYPE rate_limit AS (requests float8, period_seconds float8);
ALTER TYPE operation
  ADD ATTRIBUTE takes_place boolean,
  ADD ATTRIBUTE key_max_concurrent int8,
  ADD ATTRIBUTE organization_max_concurrent int8,
  ADD ATTRIBUTE key_rate rate_limit,
  ADD ATTRIBUTE organization_rate rate_limit,
  ADD ATTRIBUTE upstream_cost int8;
`;
