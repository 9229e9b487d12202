/** The step that adds domains and vendor keys of tenants. What is new in a row is null where an older process wrote it, and at the end of a `ROW(…)`. */
export const TENANT_TABLES = /* sql */ `
-- Keys of organizations at vendors, encrypted by the host.
CREATE TABLE tenant_keys (
  organization_id text COLLATE "C" NOT NULL,
  provider_id text COLLATE "C" NOT NULL,
  sealed text NOT NULL,
  host_key_id text COLLATE "C" NOT NULL,
  last_characters text NOT NULL,
  created_at_ms int8 NOT NULL,
  PRIMARY KEY (organization_id, provider_id)
);
CREATE INDEX tenant_keys_by_host_key ON tenant_keys (host_key_id);

ALTER TABLE organizations ADD COLUMN domains json;
ALTER TABLE api_keys ADD COLUMN domains json;
ALTER TABLE requests ADD COLUMN budgets text[], ADD COLUMN byok boolean;

-- What the vendor billed to the organization, whose own key was used.
ALTER TABLE entries ADD COLUMN tenant_cost int8;
ALTER TYPE operation ADD ATTRIBUTE tenant_cost int8;
`;
