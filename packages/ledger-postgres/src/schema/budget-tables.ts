import { MODEL_IN_INDEX, WINDOWED } from './tables.js';

/** The step that adds budgets. A row made with `ROW(…)` has what is new at its end. */
export const BUDGET_TABLES = /* sql */ `
-- Counters of budgets, as those of keys. They are read and changed by those alone who have locked the row of the organization, which counts them.
CREATE TABLE budget_usages (
  organization_id text COLLATE "C" NOT NULL,
  budget_id text COLLATE "C" NOT NULL,
  ${WINDOWED},
  -- When it was made: what the log has from before belongs to one that was forgotten.
  since_ms int8 NOT NULL,
  -- The day of its latest use; null for one that is never forgotten. In days, so that few updates reach the index.
  used_day int4,
  PRIMARY KEY (organization_id, budget_id)
) WITH (fillfactor = 50);
CREATE INDEX budget_usages_idle ON budget_usages (used_day) WHERE used_day IS NOT NULL;

CREATE TABLE removed_of_budgets (organization_id text COLLATE "C" NOT NULL, LIKE removed_of_keys);
ALTER TABLE removed_of_budgets RENAME key_id TO budget_id;
ALTER TABLE removed_of_budgets ADD PRIMARY KEY (organization_id, budget_id);

CREATE TABLE budgets (
  organization_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  budget_limit int8 NOT NULL CHECK (budget_limit >= 0),
  limit_reset text CHECK (limit_reset IN ('daily', 'weekly', 'monthly')),
  mode text NOT NULL CHECK (mode IN ('enforce', 'warn')),
  created_at_ms int8 NOT NULL,
  -- Neither this index nor the other, which has every row too, serves the statements of the other.
  PRIMARY KEY (id, organization_id)
);
CREATE INDEX budgets_in_order ON budgets (organization_id, created_at_ms, id) WHERE mode > '';

-- Ids, null for none: of a hold and an entry by their bytes, of a key as they were given.
ALTER TABLE holds ADD COLUMN budgets text[];
ALTER TABLE entries ADD COLUMN budgets text[];
ALTER TABLE api_keys ADD COLUMN budgets text[];
CREATE INDEX api_keys_of_budget ON api_keys USING gin (budgets) WHERE budgets IS NOT NULL;

-- How many counters of budgets there are.
ALTER TABLE organization_balances ADD COLUMN budgets int8 NOT NULL DEFAULT 0;

-- The ids joined by a space, empty for none: a charge adds to as many rows as without budgets.
ALTER TABLE usage_sums ADD COLUMN budgets text COLLATE "C" NOT NULL DEFAULT '';
DROP INDEX usage_sums_cells;
CREATE UNIQUE INDEX usage_sums_cells ON usage_sums (organization_id, level, period, key_id, tag, ${MODEL_IN_INDEX}, budgets);

-- What a hold says of a budget: which of the request it is, the limit, null for none, and whether its counter is never forgotten.
CREATE TYPE budget_limit AS (nth int4, amount int8, reset text, is_kept boolean);
-- Both by the bytes of the ids.
ALTER TYPE operation ADD ATTRIBUTE budget_ids text[], ADD ATTRIBUTE budget_limits budget_limit[];

-- These get other arguments, answer more, or are no longer there.
DO $$
DECLARE
  old regprocedure;
BEGIN
  FOR old IN SELECT p.oid FROM pg_catalog.pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND p.proname IN (
    'place_hold', 'end_hold', 'refused_hold', 'loss_entries', 'expiry_entry', 'apply_grant', 'apply_adjustment', 'list_usage', 'insert_key',
    'claim_name', 'complete_claim', 'free_claim'
  ) LOOP EXECUTE 'DROP FUNCTION ' || old;
  END LOOP;
END $$;
`;
