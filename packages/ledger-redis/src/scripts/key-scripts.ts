import { type LedgerKey, type Script, script } from '../lua/opening.js';

/**
 * The fields of a key in the order in which records give them; those of RAW_FIELDS as they are, the others as JSON. A record may end before
 * the last ones, which are `null` then.
 */
export const KEY_FIELDS = [
  'id',
  'hash',
  'organizationId',
  'label',
  'limit',
  'limitReset',
  'allowedModels',
  'createdAtMs',
  'expiresAtMs',
  'revokedAtMs',
  'rateLimit',
  'maxConcurrent',
  'budgets',
  'domains',
] as const;

/** The fields of an organization in the order in which records give them, likewise. */
export const ORGANIZATION_FIELDS = [
  'id',
  'name',
  'createdAtMs',
  'suspendedAtMs',
  'rateLimit',
  'maxConcurrent',
  'operatorPays',
  'domains',
] as const;

/** The fields of a budget likewise. The last one stays when it is replaced. */
export const BUDGET_FIELDS = ['organizationId', 'id', 'limit', 'limitReset', 'mode', 'createdAtMs'] as const;

/** Never `null`. */
export const RAW_FIELDS: ReadonlySet<string> = new Set(['id', 'hash', 'organizationId']);

/** Separates the fields of a record: neither ids nor JSON hold it. */
export const FIELD_END = '\n';

/** Records, one text each: the token of the attempt that made it, then its fields. */
const RECORDS = `
local function fieldsOf(record)
  local fields = {}
  for field in string.gmatch(record, '[^\\n]+') do fields[#fields + 1] = field end
  return fields
end

local function attemptOf(record) return string.match(record, '^[^\\n]+') end
local function withoutAttempt(record) return string.match(record, '\\n(.*)$') end

-- The organization of a key, the time and the id, so that the keys of an organization are in order.
local function placeOf(organizationId, createdAtMs, id)
  return table.concat({ organizationId, string.format('%016.0f', createdAtMs), id }, ' ')
end
`;

/** Where the fields that budgets need stand in a record as text: behind the token. */
const PLACES = { budgets: KEY_FIELDS.indexOf('budgets') + 2, revoked: KEY_FIELDS.indexOf('revokedAtMs') + 2 };

/**
 * Budgets are named by an organization and an id with a space between. In `budget-keys` comes one more space, and the id of a key that names it and is not
 * revoked.
 */
const NAMED_BUDGETS = `
local function unknownBudget(organizationId, ids)
  for _, id in ipairs(cjson.decode(ids)) do
    if redis.call('HEXISTS', BUDGETS, organizationId .. ' ' .. id) == 0 then
      return refuse('unknown_budget', 'budgets: the organization has no budget ' .. id)
    end
  end
end

-- Under which budgets a key is found.
local function placesOf(fields)
  local ids, places = fields[${PLACES.budgets}], {}
  if not ids or ids == 'null' or fields[${PLACES.revoked}] ~= 'null' then return places end
  for place, id in ipairs(cjson.decode(ids)) do places[place] = fields[4] .. ' ' .. id .. ' ' .. fields[2] end
  return places
end

local function listUnder(places)
  for _, place in ipairs(places) do redis.call('ZADD', BUDGET_KEYS, '0', place) end
end
`;

const ORGANIZATION_KEYS = ['organization-records', 'organizations'] as const;

/** Id, hash, organization, when it is created, its budgets as JSON, the record. */
export const INSERT_KEY = script([
  'api-key-records',
  'api-key-hashes',
  'api-keys',
  'api-keys-of',
  'budgets',
  'budget-keys',
  ...ORGANIZATION_KEYS,
])`${RECORDS}${NAMED_BUDGETS}
local id, hash, organizationId, createdAtMs, ids, record = unpack(ARGV, 4)
local earlier = redis.call('HGET', API_KEY_RECORDS, id)
if earlier and attemptOf(earlier) == token then return { '1' } end
if earlier or redis.call('HEXISTS', API_KEY_HASHES, hash) == 1 then
  return refuse('duplicate_key', 'a key with the id ' .. id .. ' or the same secret exists already')
end
local unknown = unknownBudget(organizationId, ids)
if unknown then return unknown end
record = token .. '\\n' .. record
redis.call('HSET', API_KEY_RECORDS, id, record)
listUnder(placesOf(fieldsOf(record)))
redis.call('HSET', API_KEY_HASHES, hash, id)
redis.call('ZADD', API_KEYS, createdAtMs, id)
redis.call('ZADD', API_KEYS_OF, '0', placeOf(organizationId, createdAtMs, id))

if redis.call('HEXISTS', ORGANIZATION_RECORDS, organizationId) == 0 then
  redis.call('HSET', ORGANIZATION_RECORDS, organizationId, table.concat({ '-', organizationId, 'null', createdAtMs, 'null', 'null', 'null', 'false' }, '\\n'))
  redis.call('ZADD', ORGANIZATIONS, createdAtMs, organizationId)
end
return { '1' }
`;

/** Id, when it is created, the record. */
export const INSERT_ORGANIZATION = script(ORGANIZATION_KEYS)`${RECORDS}
local id, createdAtMs, record = unpack(ARGV, 4)
local earlier = redis.call('HGET', ORGANIZATION_RECORDS, id)
if earlier then return { attemptOf(earlier) == token and '1' or '0' } end
redis.call('HSET', ORGANIZATION_RECORDS, id, token .. '\\n' .. record)
redis.call('ZADD', ORGANIZATIONS, createdAtMs, id)
return { '1' }
`;

type Records = 'api-key-records' | 'organization-records' | 'budgets';

/** Changes a record as text. A revocation stands. */
const CHANGE = `
local record = redis.call('HGET', KEYS[2], ARGV[4])
if not record then return {} end
local fields = fieldsOf(record)

local function changeRecord(once)
  for index = 5, #ARGV, 2 do
    local place = tonumber(ARGV[index]) + 2
    for missing = #fields + 1, place do fields[missing] = 'null' end
    if place ~= once or fields[place] == 'null' then fields[place] = ARGV[index + 1] end
  end
  record = table.concat(fields, '\\n')
  redis.call('HSET', KEYS[2], ARGV[4], record)
  return { withoutAttempt(record) }
end
`;

/** Id; then places of fields, counted from 0, and values to change. Gives the record, or nothing. */
export const UPDATE_ORGANIZATION = script(['organization-records'])`${RECORDS}${CHANGE}
return changeRecord()
`;

/** Likewise. */
export const UPDATE_KEY = script(['api-key-records', 'budgets', 'budget-keys'])`${RECORDS}${NAMED_BUDGETS}${CHANGE}
for index = 5, #ARGV, 2 do
  local unknown = ARGV[index] == '${PLACES.budgets - 2}' and unknownBudget(fields[4], ARGV[index + 1])
  if unknown then return unknown end
end
for _, place in ipairs(placesOf(fields)) do redis.call('ZREM', BUDGET_KEYS, place) end
local reply = changeRecord(${PLACES.revoked})
listUnder(placesOf(fields))
return reply
`;

function findIn(records: Records): Script {
  return script([records])`${RECORDS}
local record = redis.call('HGET', KEYS[2], ARGV[4])
return record and { withoutAttempt(record) } or {}
`;
}

/** Id, of a budget its name. Gives the record, or nothing. */
export const FIND_KEY = findIn('api-key-records');
export const FIND_ORGANIZATION = findIn('organization-records');
export const FIND_BUDGET = findIn('budgets');

/** Hash. Gives the key, the record of its organization and those of its budgets, or nothing. */
export const FIND_BY_HASH = script(['api-key-hashes', 'api-key-records', 'organization-records', 'budgets'])`${RECORDS}
local id = redis.call('HGET', API_KEY_HASHES, ARGV[4])
if not id then return {} end
local key = redis.call('HGET', API_KEY_RECORDS, id)
local fields = fieldsOf(key)
local organization = redis.call('HGET', ORGANIZATION_RECORDS, fields[4])
local reply, ids = { withoutAttempt(key), withoutAttempt(organization) }, fields[${PLACES.budgets}]
if not ids or ids == '[]' then return reply end
for _, budgetId in ipairs(cjson.decode(ids)) do
  local budget = redis.call('HGET', BUDGETS, fields[4] .. ' ' .. budgetId)
  if budget then reply[#reply + 1] = withoutAttempt(budget) end
end
return reply
`;

/** How a list is read: `first` finds the place to begin at, `page` gives ids from there on. */
function listIn(keys: readonly [list: Exclude<LedgerKey, 'meta'>, records: Records], page: string): Script {
  return script(keys)`${RECORDS}
local after, afterMs, most, organizationId = unpack(ARGV, 4)
local function invalidCursor() return refuse('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this registry') end
local ids = {}
${page}
local reply = {}
for _, id in ipairs(ids) do
  if id ~= '' then reply[#reply + 1] = withoutAttempt(redis.call('HGET', KEYS[3], id)) end
end
return reply
`;
}

const BY_RANK = `
local first = 0
if after ~= '' then
  local rank = redis.call('ZRANK', KEYS[2], after)
  if not rank then return invalidCursor() end
  first = rank + 1
end
ids = redis.call('ZRANGE', KEYS[2], whole(first), whole(first + most - 1))
`;

// '!' is the next character after the space, which no id holds.
const BY_PLACE = `
local first = '[' .. organizationId .. ' '
if after ~= '' then
  local place = placeOf(organizationId, afterMs, after)
  if isComplete and not redis.call('ZSCORE', KEYS[2], place) then return invalidCursor() end
  first = '(' .. place
end
for _, place in ipairs(redis.call('ZRANGEBYLEX', KEYS[2], first, '(' .. organizationId .. '!', 'LIMIT', '0', most)) do
  ids[#ids + 1] = front .. string.match(place, '%S+$')
end
`;

/** The id and the time to begin behind, or nothing; how many. Nothing is ever taken off a list but a budget, so a place in it stays. */
export const LIST_KEYS = listIn(['api-keys', 'api-key-records'], BY_RANK);
export const LIST_ORGANIZATIONS = listIn(['organizations', 'organization-records'], BY_RANK);
/** … and the organization. */
export const LIST_KEYS_OF = listIn(['api-keys-of', 'api-key-records'], `local isComplete, front = true, ''${BY_PLACE}`);
export const LIST_BUDGETS = listIn(
  ['budgets-of', 'budgets'],
  `local isComplete, front = false, organizationId .. ' '${BY_PLACE}`,
);

/** Organization, id, when it was created, the record. Replaces one but when it was created. Gives the record. */
export const SET_BUDGET = script(['budgets', 'budgets-of'])`${RECORDS}
local organizationId, id, createdAtMs, record = unpack(ARGV, 4)
local name = organizationId .. ' ' .. id
local earlier = redis.call('HGET', BUDGETS, name)
record = token .. '\\n' .. record
if earlier then record = string.match(record, '^.*\\n') .. string.match(earlier, '[^\\n]*$') end
redis.call('HSET', BUDGETS, name, record)
if not earlier then redis.call('ZADD', BUDGETS_OF, '0', placeOf(organizationId, createdAtMs, id)) end
return { withoutAttempt(record) }
`;

/** Organization, id. META says which attempt was the last that deleted one. */
export const DELETE_BUDGET = script(['budgets', 'budgets-of', 'budget-keys'])`${RECORDS}
local organizationId, id = unpack(ARGV, 4)
local name = organizationId .. ' ' .. id
if redis.call('HGET', META, 'deleting') == token then return { '1' } end
local users = redis.call('ZRANGEBYLEX', BUDGET_KEYS, '[' .. name .. ' ', '(' .. name .. '!', 'LIMIT', '0', '10')
for place, user in ipairs(users) do users[place] = string.match(user, '%S+$') end
if #users > 0 then return refuse('budget_in_use', 'id: the budget ' .. id .. ' is named by the keys ' .. table.concat(users, ', ')) end
local budget = redis.call('HGET', BUDGETS, name)
if not budget then return { '0' } end
redis.call('ZREM', BUDGETS_OF, placeOf(organizationId, string.match(budget, '%d+$'), id))
redis.call('HDEL', BUDGETS, name)
redis.call('HSET', META, 'deleting', token)
return { '1' }
`;
