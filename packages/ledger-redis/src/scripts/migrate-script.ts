import { LEDGER_KEYS, MISSING, namesOf, PRESENT, SCHEMA_VERSION, type Script } from '../lua/opening.js';

/**
 * Redis removes a key that holds nothing, and the keys of a ledger have to stay: each holds something that is never read. No id is an empty text. The list of
 * ended holds keeps its last one by itself, and a stream may be empty.
 */
const CREATE = `
local function create()
  for _, key in ipairs({ ORG_COUNTERS, KEY_COUNTERS, HOLDS, GRANTS, ADJUSTMENTS, INDEX, API_KEY_RECORDS, ORGANIZATION_RECORDS, API_KEY_HASHES,
    SUMS, CHECKPOINT }) do
    redis.call('HSET', key, '', '')
  end
  for _, key in ipairs({ OPEN, API_KEYS, ORGANIZATIONS }) do redis.call('ZADD', key, '+inf', '') end
  for _, key in ipairs({ API_KEYS_OF, SUM_NAMES }) do redis.call('ZADD', key, '0', '') end
  redis.call('RPUSH', ENDED, '0 ')
  if redis.call('EXISTS', LOG) == 0 then
    redis.call('XADD', LOG, '0-1', 'k', '')
    redis.call('XDEL', LOG, '0-1')
  end
end
`;

/**
 * Creates the keys of a new ledger, or brings those of an earlier version up to date. Other versions are left alone. So is a ledger some of whose keys are missing:
 * it is not started over. Declares every key, although a new ledger has none yet.
 *
 * @param upgrades what brings the keys of each version to the next, as bodies of Lua functions: the first makes version 2. Redis serves no one else while they
 *   run. They must not fail in the middle, since scripts are not undone.
 */
export function migration(upgrades: readonly string[] = []): Script {
  const version = Number(SCHEMA_VERSION) + upgrades.length;
  return {
    keys: LEDGER_KEYS,
    source: `${namesOf(LEDGER_KEYS)}${PRESENT}${CREATE}
local found = tonumber(version or '${version}')
if not found or found < 1 or found > ${version} then
  return refuse('schema_mismatch', 'the keys of this ledger are of version ' .. version .. ', and this package knows ${version}')
end
if redis.call('EXISTS', unpack(KEYS)) ~= (version and #KEYS or 0) then return refuse('schema_mismatch', '${MISSING}') end
if not version then create() end
local upgrades = { ${upgrades.map((body) => `function()\n${body}\nend`).join(', ')} }
for from = found, #upgrades do upgrades[from]() end
redis.call('HSET', META, 'version', '${version}')
return { 'done' }
`,
  };
}

export const MIGRATE = migration();
