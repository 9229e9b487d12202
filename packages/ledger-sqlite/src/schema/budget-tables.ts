/** As of keys. */
const USAGE = `usage INTEGER NOT NULL,
  latest_day INTEGER NOT NULL,
  before_day INTEGER NOT NULL,
  before_week INTEGER NOT NULL,
  before_month INTEGER NOT NULL`;

/**
 * Budgets. A package of version 2 writes no budget and finds only what has none, so it is right while no call names one. The ids of a hold, an entry or a series
 * are one text, in the order of their bytes and joined by spaces; NULL, of a series an empty text, for none.
 */
export const BUDGETS = `
ALTER TABLE searchgate_holds ADD COLUMN budgets TEXT;
ALTER TABLE searchgate_entries ADD COLUMN budgets TEXT;
ALTER TABLE searchgate_usage ADD COLUMN budgets TEXT NOT NULL DEFAULT '';
DROP INDEX searchgate_usage_of_all;
CREATE UNIQUE INDEX searchgate_usage_of_all ON searchgate_usage (organization_id, key_id, model, tag, budgets);

CREATE TABLE searchgate_budget_totals (
  organization_id TEXT NOT NULL,
  budget_id TEXT NOT NULL,
  ${USAGE},
  held INTEGER NOT NULL,
  -- A row that is not kept is deleted once it was idle.
  is_kept INTEGER NOT NULL,
  PRIMARY KEY (organization_id, budget_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_idle_budgets ON searchgate_budget_totals (latest_day) WHERE is_kept = 0;

-- How many of them an organization has, which is bounded.
CREATE TABLE searchgate_budget_counts (organization_id TEXT PRIMARY KEY, budgets INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TRIGGER searchgate_budget_added AFTER INSERT ON searchgate_budget_totals BEGIN
  INSERT INTO searchgate_budget_counts VALUES (NEW.organization_id, 1)
    ON CONFLICT (organization_id) DO UPDATE SET budgets = budgets + 1;
END;
CREATE TRIGGER searchgate_budget_forgotten AFTER DELETE ON searchgate_budget_totals BEGIN
  UPDATE searchgate_budget_counts SET budgets = budgets - 1 WHERE organization_id = OLD.organization_id;
END;

CREATE TABLE searchgate_budget_checkpoints (
  organization_id TEXT NOT NULL,
  budget_id TEXT NOT NULL,
  ${USAGE},
  before_idle INTEGER NOT NULL,
  PRIMARY KEY (organization_id, budget_id)
) STRICT, WITHOUT ROWID;

-- The registry.
CREATE TABLE searchgate_budgets (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  spend_limit INTEGER NOT NULL,
  limit_reset TEXT,
  mode TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX searchgate_budgets_by_creation ON searchgate_budgets (organization_id, created_at_ms, id);
ALTER TABLE searchgate_api_keys ADD COLUMN budgets TEXT;
CREATE INDEX searchgate_api_keys_with_budgets ON searchgate_api_keys (organization_id, id, budgets)
  WHERE budgets IS NOT NULL AND revoked_at_ms IS NULL;
`;
