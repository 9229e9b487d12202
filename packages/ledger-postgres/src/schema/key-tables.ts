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
`;
