import { ON_INDEXES, reader } from './on-indexes.js';
import { assigned } from './write-functions.js';

/** A row `t` of `tenant_keys` as JSON. */
const TENANT_KEY = `json_build_object('organizationId', t.organization_id, 'providerId', t.provider_id, 'sealed', t.sealed, 'hostKeyId', t.host_key_id,
  'lastCharacters', t.last_characters, 'createdAtMs', t.created_at_ms)`;
const SEALED = 'sealed, host_key_id, last_characters, created_at_ms';
const MAX_PAGE = 1_000;

/** The store of vendor keys. */
export const TENANT_KEY_FUNCTIONS = /* sql */ `
-- @param before null to put the key whatever there is. @returns whether it was still sealed as before. Of a call that is sent again the first was, so this one
-- says no: whoever seals again looks once more.
CREATE OR REPLACE FUNCTION put_tenant_key(key json, before text) RETURNS boolean LANGUAGE plpgsql ${ON_INDEXES} AS $$
DECLARE
  k tenant_keys := json_populate_record(NULL::tenant_keys, key);
BEGIN
  IF before IS NULL THEN
    INSERT INTO tenant_keys SELECT k.* ON CONFLICT (organization_id, provider_id) DO UPDATE SET ${assigned(SEALED, 'excluded')};
  ELSE
    UPDATE tenant_keys t SET ${assigned(SEALED, 'k')}
      WHERE t.organization_id = k.organization_id AND t.provider_id = k.provider_id AND t.sealed = before;
  END IF;
  RETURN FOUND;
END $$;

-- @returns whether there was one.
CREATE OR REPLACE FUNCTION delete_tenant_key(the_organization text, the_provider text) RETURNS boolean LANGUAGE plpgsql ${ON_INDEXES} AS $$
BEGIN
  DELETE FROM tenant_keys t WHERE t.organization_id = the_organization AND t.provider_id = the_provider;
  RETURN FOUND;
END $$;

${reader(
  'list_tenant_keys(the_organization text)',
  `SELECT json_agg(${TENANT_KEY} ORDER BY t.provider_id) FROM tenant_keys t WHERE t.organization_id = the_organization`,
)}${reader(
  'tenant_keys_sealed_by_others(the_host_key text)',
  `SELECT json_agg(${TENANT_KEY}) FROM (
      (SELECT * FROM tenant_keys WHERE host_key_id < the_host_key LIMIT ${MAX_PAGE})
      UNION ALL (SELECT * FROM tenant_keys WHERE host_key_id > the_host_key LIMIT ${MAX_PAGE}) LIMIT ${MAX_PAGE}
    ) t`,
)}`;
