import { LEDGER_KEYS, MISSING, namesOf, PRESENT, SCHEMA_VERSION, type Script } from '../lua/opening.js';

/**
 * Redis removes a key that holds nothing, and the keys of a ledger have to stay: each holds something that is never read. No id is an empty text. The list of
 * ended holds keeps its last one by itself, and a stream may be empty.
 */
const CREATE = `
local function create()
  for _, key in ipairs({ ORG_BOOKS, KEY_BOOKS, HOLDS, GRANTS, ADJUSTMENTS, INDEX, API_KEY_RECORDS, ORGANIZATION_RECORDS, API_KEY_HASHES }) do
    redis.call('HSET', key, '', '')
  end
  for _, key in ipairs({ OPEN, API_KEYS, ORGANIZATIONS }) do redis.call('ZADD', key, '+inf', '') end
  redis.call('ZADD', API_KEYS_OF, '0', '')
  redis.call('RPUSH', ENDED, '0 ')
  if redis.call('EXISTS', LOG) == 0 then
    redis.call('XADD', LOG, '0-1', 'k', '')
    redis.call('XDEL', LOG, '0-1')
  end
end
`;

/**
 * Creates the keys of a new ledger. Gives the version there was, or nothing. Another version is left alone. So is a ledger some of whose keys are missing:
 * it is not started over. Declares every key, although a new ledger has none yet.
 */
export const MIGRATE: Script = {
  keys: LEDGER_KEYS,
  source: `${namesOf(LEDGER_KEYS)}${PRESENT}${CREATE}
local found = version
local there = redis.call('EXISTS', unpack(KEYS))
if found and found ~= '${SCHEMA_VERSION}' then
  return refuse('schema_mismatch', 'the keys of this ledger are of version ' .. found .. ', and this package knows ${SCHEMA_VERSION}')
end
if found and there < #KEYS or not found and there > 0 then return refuse('schema_mismatch', '${MISSING}') end
if not found then
  create()
  redis.call('HSET', META, 'version', '${SCHEMA_VERSION}')
end
return { found or '' }
`,
};
