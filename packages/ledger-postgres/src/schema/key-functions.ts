import { BUDGET, pageOfOrganization } from './budget-registry.js';
import { ON_INDEXES, reader } from './on-indexes.js';

/** A row `k` of `api_keys` as JSON. */
const KEY = `json_build_object('id', k.id, 'hash', k.hash, 'organizationId', k.organization_id, 'label', k.label, 'limit', k.key_limit::text,
  'limitReset', k.limit_reset, 'allowedModels', k.allowed_models, 'budgets', coalesce(k.budgets, '{}'), 'rateLimit', k.rate_limit,
  'maxConcurrent', k.max_concurrent, 'domains', k.domains, 'createdAtMs', k.created_at_ms, 'expiresAtMs', k.expires_at_ms, 'revokedAtMs', k.revoked_at_ms)`;

/** A row `o` of `organizations` as JSON. */
const ORGANIZATION = `json_build_object('id', o.id, 'name', o.name, 'createdAtMs', o.created_at_ms, 'suspendedAtMs', o.suspended_at_ms,
  'rateLimit', o.rate_limit, 'maxConcurrent', o.max_concurrent, 'operatorPays', o.operator_pays, 'domains', o.domains)`;

/** The rows behind a place. */
function pageOf(table: string, condition = 'true'): string {
  return `SELECT * FROM ${table} WHERE ${condition} AND (created_at_ms, id) > (after_ms, after_id COLLATE "C")
      ORDER BY created_at_ms, id LIMIT most`;
}

/** The registry of keys and organizations: what changes it, and what reads it. */
export const KEY_FUNCTIONS = /* sql */ `
-- One atomic step: both rows, or neither. @returns whether the key is there by this call, or a budget that is not set.
CREATE OR REPLACE FUNCTION insert_key(key json, token uuid) RETURNS json LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  k api_keys := json_populate_record(NULL::api_keys, key);
  unknown json;
BEGIN
  IF EXISTS (SELECT FROM api_keys a WHERE a.id = k.id) OR EXISTS (SELECT FROM api_keys a WHERE a.hash = k.hash) THEN
    RETURN to_json(EXISTS (SELECT FROM api_keys a WHERE a.id = k.id AND a.hash = k.hash AND a.token = insert_key.token));
  END IF;
  unknown := unknown_budget(k.organization_id, k.budgets);
  IF unknown IS NOT NULL THEN RETURN unknown; END IF;
  k.budgets := nullif(k.budgets, '{}');
  k.token := insert_key.token;
  INSERT INTO organizations (id, created_at_ms, token) VALUES (k.organization_id, k.created_at_ms, k.token) ON CONFLICT DO NOTHING;
  INSERT INTO api_keys SELECT k.*;
  RETURN to_json(true);
EXCEPTION WHEN unique_violation THEN
  -- Another call took the id or the hash in between; what this one did is undone.
  RETURN to_json(false);
END $$;

-- A field that is absent keeps its value; the first revocation stands. @returns the key as it is now, a budget that is not set, or null.
CREATE OR REPLACE FUNCTION update_key(key_id text, change json) RETURNS json LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  answer json := (
    SELECT unknown_budget(k.organization_id, ARRAY(SELECT json_array_elements_text(change -> 'budgets'))) FROM api_keys k WHERE k.id = update_key.key_id
  );
BEGIN
  IF answer IS NOT NULL THEN RETURN answer; END IF;
  UPDATE api_keys k SET (label, key_limit, limit_reset, allowed_models, budgets, rate_limit, max_concurrent, domains, expires_at_ms, revoked_at_ms) = (
    SELECT c.label, c.key_limit, c.limit_reset, c.allowed_models, nullif(c.budgets, '{}'), c.rate_limit, c.max_concurrent, c.domains, c.expires_at_ms,
      coalesce(k.revoked_at_ms, c.revoked_at_ms)
    FROM json_populate_record(k, change) c
  ) WHERE k.id = update_key.key_id RETURNING ${KEY} INTO answer;
  RETURN answer;
END $$;

-- @returns whether the organization is new by this call.
CREATE OR REPLACE FUNCTION insert_organization(organization json, token uuid) RETURNS boolean LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  o organizations := json_populate_record(NULL::organizations, organization);
BEGIN
  o.token := insert_organization.token;
  INSERT INTO organizations SELECT o.* ON CONFLICT DO NOTHING;
  RETURN EXISTS (SELECT FROM organizations known WHERE known.id = o.id AND known.token = o.token);
END $$;

CREATE OR REPLACE FUNCTION update_organization(organization_id text, change json) RETURNS json LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  answer json;
BEGIN
  UPDATE organizations o SET (name, suspended_at_ms, rate_limit, max_concurrent, operator_pays, domains) = (
    SELECT c.name, c.suspended_at_ms, c.rate_limit, c.max_concurrent, c.operator_pays, c.domains FROM json_populate_record(o, change) c
  ) WHERE o.id = update_organization.organization_id RETURNING ${ORGANIZATION} INTO answer;
  RETURN answer;
END $$;

${reader('find_key(key_id text)', `SELECT ${KEY} FROM api_keys k WHERE k.id = find_key.key_id`)}
-- @returns the key, its organization and its budgets, or null.
${reader(
  'find_key_by_hash(key_hash text)',
  `SELECT json_build_object('key', ${KEY}, 'organization', ${ORGANIZATION}, 'budgets', CASE WHEN k.budgets IS NOT NULL THEN (
      SELECT json_agg(found.budget ORDER BY named.place) FROM unnest(k.budgets) WITH ORDINALITY named (id, place),
        LATERAL (SELECT ${BUDGET} AS budget FROM budgets b WHERE b.organization_id = k.organization_id AND b.id = named.id OFFSET 0) found
    ) END)
    FROM api_keys k JOIN organizations o ON o.id = k.organization_id WHERE k.hash = key_hash`,
)}${reader('find_organization(organization_id text)', `SELECT ${ORGANIZATION} FROM organizations o WHERE o.id = find_organization.organization_id`)}
-- @param of_organization null for the keys of all: then the second part finds none.
${reader(
  'list_keys(after_ms int8, after_id text, most int8, of_organization text)',
  `SELECT coalesce(json_agg(${KEY}), '[]') FROM (
      (${pageOf('api_keys', 'of_organization IS NULL')}) UNION ALL (${pageOfOrganization('api_keys')})
    ) k`,
)}${reader(
  'list_organizations(after_ms int8, after_id text, most int8)',
  `SELECT coalesce(json_agg(${ORGANIZATION}), '[]') FROM (${pageOf('organizations')}) o`,
)}`;
