import { NAMES, SCHEMA_VERSION } from '../lua/opening.js';

/** Gives the version there was, or nothing. The first version has nothing to bring up to date; a newer one is left alone. */
export const MIGRATE = `${NAMES}
local found = meta[1]
if not found then redis.call('HSET', KEYS[1], 'version', '${SCHEMA_VERSION}') end
if found and found ~= '${SCHEMA_VERSION}' then
  return refuse('schema_mismatch', 'the keys of this ledger are of version ' .. found .. ', and this package knows ${SCHEMA_VERSION}')
end
return { found or '' }
`;
