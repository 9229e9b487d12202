/** The registry of keys and organizations, which only administration writes. */
export const KEY_TABLES = /* sql */ `
CREATE TABLE organizations (
  id text COLLATE "C" PRIMARY KEY,
  name text,
  created_at_ms int8 NOT NULL,
  suspended_at_ms int8,
  -- Which call made it, so that a call that is sent again after its answer was lost recognizes its own work.
  token uuid NOT NULL
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
  token uuid NOT NULL
);
CREATE INDEX api_keys_in_order ON api_keys (created_at_ms, id);
CREATE INDEX api_keys_of_organization ON api_keys (organization_id, created_at_ms, id);

-- One atomic step: both rows, or neither. @returns whether the key is there by this call.
CREATE FUNCTION insert_key(key json, token uuid) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  k api_keys := json_populate_record(NULL::api_keys, key);
BEGIN
  IF EXISTS (SELECT FROM api_keys a WHERE a.id = k.id OR a.hash = k.hash) THEN
    RETURN EXISTS (SELECT FROM api_keys a WHERE a.id = k.id AND a.hash = k.hash AND a.token = insert_key.token);
  END IF;
  k.token := insert_key.token;
  INSERT INTO organizations (id, created_at_ms, token) VALUES (k.organization_id, k.created_at_ms, k.token) ON CONFLICT DO NOTHING;
  INSERT INTO api_keys SELECT k.*;
  RETURN true;
EXCEPTION WHEN unique_violation THEN
  -- Another call took the id or the hash in between; what this one did is undone.
  RETURN false;
END $$;

-- @returns whether the organization is new by this call.
CREATE FUNCTION insert_organization(organization json, token uuid) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  o organizations := json_populate_record(NULL::organizations, organization);
BEGIN
  o.token := insert_organization.token;
  INSERT INTO organizations SELECT o.* ON CONFLICT DO NOTHING;
  RETURN EXISTS (SELECT FROM organizations known WHERE known.id = o.id AND known.token = o.token);
END $$;
`;
