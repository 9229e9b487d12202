import { ON_INDEXES, reader } from './on-indexes.js';

/** A row `b` of `budgets` as JSON. */
export const BUDGET = `json_build_object('organizationId', b.organization_id, 'id', b.id, 'limit', b.budget_limit::text, 'limitReset', b.limit_reset,
  'mode', b.mode, 'createdAtMs', b.created_at_ms)`;

/** The rows of an organization behind a place. @param table of keys or budgets. @param condition of its index, if that is partial. */
export function pageOfOrganization(table: string, condition = 'true'): string {
  return `SELECT * FROM ${table} WHERE (organization_id, created_at_ms, id) > (of_organization COLLATE "C", after_ms, after_id COLLATE "C")
      AND organization_id <= of_organization AND ${condition} ORDER BY organization_id, created_at_ms, id LIMIT most`;
}

/** The registry of budgets. */
export const BUDGET_REGISTRY = /* sql */ `
-- @returns the first of these that is not set, if any. The others cannot be deleted until the transaction has ended.
CREATE OR REPLACE FUNCTION unknown_budget(the_organization text, ids text[]) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  FOR n IN 1 .. coalesce(cardinality(ids), 0) LOOP
    PERFORM FROM budgets b WHERE b.organization_id = the_organization AND b.id = ids[n] FOR KEY SHARE;
    IF NOT FOUND THEN RETURN json_build_object('unknownBudget', ids[n]); END IF;
  END LOOP;
  RETURN NULL;
END $$;

-- @returns the budget, with the time it was first set at.
CREATE OR REPLACE FUNCTION set_budget(budget json) RETURNS json LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  answer json;
BEGIN
  INSERT INTO budgets AS b SELECT * FROM json_populate_record(NULL::budgets, budget)
    ON CONFLICT (organization_id, id) DO UPDATE SET budget_limit = excluded.budget_limit, limit_reset = excluded.limit_reset, mode = excluded.mode
    RETURNING ${BUDGET} INTO answer;
  RETURN answer;
END $$;

${reader(
  'find_budget(the_organization text, the_budget text)',
  `SELECT ${BUDGET} FROM budgets b WHERE b.organization_id = the_organization AND b.id = the_budget`,
)}${reader(
  'list_budgets(after_ms int8, after_id text, most int8, of_organization text)',
  `SELECT coalesce(json_agg(${BUDGET}), '[]') FROM (${pageOfOrganization('budgets', "mode > ''")}) b`,
)}
-- @returns whether it was set, or up to ten keys that name it and are not revoked: those that name one like it are found first. The index of what
-- arrays have is read as a bitmap only.
CREATE OR REPLACE FUNCTION delete_budget(the_organization text, the_budget text) RETURNS json LANGUAGE plpgsql
SET search_path FROM CURRENT SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off AS $$
DECLARE
  users text[];
BEGIN
  -- Keys that are about to name it come first, and are seen then.
  PERFORM FROM budgets b WHERE b.organization_id = the_organization AND b.id = the_budget FOR UPDATE;
  IF NOT FOUND THEN RETURN to_json(false); END IF;
  users := ARRAY(
    SELECT k.id FROM api_keys k
    WHERE k.budgets IS NOT NULL AND k.budgets @> ARRAY[the_budget] AND k.organization_id || '' = the_organization AND k.revoked_at_ms IS NULL
    ORDER BY k.created_at_ms, k.id LIMIT 10
  );
  IF cardinality(users) > 0 THEN RETURN to_json(users); END IF;
  DELETE FROM budgets b WHERE b.organization_id = the_organization AND b.id = the_budget;
  RETURN to_json(true);
END $$;
`;
