import { AMOUNTS } from '../lua/amounts.js';
import { FILL } from '../lua/fill.js';
import { IN_HAND } from '../lua/in-hand.js';
import { EARLIER_KEYS, LEDGER_KEYS, MISSING, namesOf, PRESENT, SCHEMA_VERSION, type Script } from '../lua/opening.js';
import { SUMS } from '../lua/sums.js';
import { UPGRADE, UPGRADED_VERSION, UPGRADING } from '../lua/upgrade.js';

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
 * Creates the keys of a new ledger, or does a part of what brings those of an earlier version up to date. Gives `done`, or `more` where it has to be run
 * again. Other versions are left alone. So is a ledger some of whose keys are missing: it is not started over. Declares every key,
 * although a new ledger has none yet.
 */
export const MIGRATE: Script = {
  keys: LEDGER_KEYS,
  source: `${namesOf(LEDGER_KEYS)}${PRESENT}${CREATE}${AMOUNTS}${IN_HAND}${SUMS}${FILL}${UPGRADE}
local found = version
local there = redis.call('EXISTS', unpack(KEYS))
local isSecond = found == '${UPGRADED_VERSION}' or found == '${UPGRADING}'
if found and found ~= '${SCHEMA_VERSION}' and found ~= '3' and not isSecond then
  return refuse('schema_mismatch', 'the keys of this ledger are of version ' .. found .. ', and this package knows ${SCHEMA_VERSION}')
end
local expected = not found and 0 or found == '${SCHEMA_VERSION}' and #KEYS or ${EARLIER_KEYS}
if there ~= expected then return refuse('schema_mismatch', '${MISSING}') end

if isSecond then
  redis.call('HSET', META, 'version', upgrade() and '3' or '${UPGRADING}')
  return { 'more' }
end
if found == '${SCHEMA_VERSION}' then return { fill() and 'done' or 'more' } end
if not found then create() end
beginFilling()
redis.call('HSET', META, 'version', '${SCHEMA_VERSION}')
return { found and 'more' or 'done' }
`,
};
