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
] as const;

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

const ORGANIZATION_KEYS = ['organization-records', 'organizations'] as const;

/** Id, hash, organization, when it is created, the record. */
export const INSERT_KEY = script(
  ['api-key-records', 'api-key-hashes', 'api-keys', 'api-keys-of', ...ORGANIZATION_KEYS],
  RECORDS,
  `
local id, hash, organizationId, createdAtMs, record = unpack(ARGV, 4)
local earlier = redis.call('HGET', API_KEY_RECORDS, id)
if earlier and attemptOf(earlier) == token then return { '1' } end
if earlier or redis.call('HEXISTS', API_KEY_HASHES, hash) == 1 then
  return refuse('duplicate_key', 'a key with the id ' .. id .. ' or the same secret exists already')
end
redis.call('HSET', API_KEY_RECORDS, id, token .. '\\n' .. record)
redis.call('HSET', API_KEY_HASHES, hash, id)
redis.call('ZADD', API_KEYS, createdAtMs, id)
redis.call('ZADD', API_KEYS_OF, '0', placeOf(organizationId, createdAtMs, id))

if redis.call('HEXISTS', ORGANIZATION_RECORDS, organizationId) == 0 then
  redis.call('HSET', ORGANIZATION_RECORDS, organizationId, table.concat({ '-', organizationId, 'null', createdAtMs, 'null', 'null', 'null', 'false' }, '\\n'))
  redis.call('ZADD', ORGANIZATIONS, createdAtMs, organizationId)
end
return { '1' }
`,
);

/** Id, when it is created, the record. */
export const INSERT_ORGANIZATION = script(
  ORGANIZATION_KEYS,
  RECORDS,
  `
local id, createdAtMs, record = unpack(ARGV, 4)
local earlier = redis.call('HGET', ORGANIZATION_RECORDS, id)
if earlier then return { attemptOf(earlier) == token and '1' or '0' } end
redis.call('HSET', ORGANIZATION_RECORDS, id, token .. '\\n' .. record)
redis.call('ZADD', ORGANIZATIONS, createdAtMs, id)
return { '1' }
`,
);

type Records = 'api-key-records' | 'organization-records';

/** A revocation stands. */
function updateIn(records: Records): Script {
  const once = records === 'api-key-records' ? KEY_FIELDS.indexOf('revokedAtMs') + 2 : 0;
  return script(
    [records],
    RECORDS,
    `
local record = redis.call('HGET', KEYS[2], ARGV[4])
if not record then return {} end
local fields = fieldsOf(record)
for index = 5, #ARGV, 2 do
  local place = tonumber(ARGV[index]) + 2
  for missing = #fields + 1, place do fields[missing] = 'null' end
  if place ~= ${once} or fields[place] == 'null' then fields[place] = ARGV[index + 1] end
end
record = table.concat(fields, '\\n')
redis.call('HSET', KEYS[2], ARGV[4], record)
return { withoutAttempt(record) }
`,
  );
}

function findIn(records: Records): Script {
  return script(
    [records],
    RECORDS,
    `
local record = redis.call('HGET', KEYS[2], ARGV[4])
return record and { withoutAttempt(record) } or {}
`,
  );
}

/** Id; then places of fields, counted from 0, and values to change. Gives the record, or nothing. */
export const UPDATE_KEY = updateIn('api-key-records');
export const UPDATE_ORGANIZATION = updateIn('organization-records');

/** Id. Gives the record, or nothing. */
export const FIND_KEY = findIn('api-key-records');
export const FIND_ORGANIZATION = findIn('organization-records');

/** Hash. Gives the key and the record of its organization, or nothing. */
export const FIND_BY_HASH = script(
  ['api-key-hashes', 'api-key-records', 'organization-records'],
  RECORDS,
  `
local id = redis.call('HGET', API_KEY_HASHES, ARGV[4])
if not id then return {} end
local key = redis.call('HGET', API_KEY_RECORDS, id)
local organization = redis.call('HGET', ORGANIZATION_RECORDS, fieldsOf(key)[4])
return { withoutAttempt(key), withoutAttempt(organization) }
`,
);

/** How a list is read: `first` finds the place to begin at, `page` gives ids from there on. */
function listIn(keys: readonly [list: Exclude<LedgerKey, 'meta'>, records: Records], page: string): Script {
  return script(
    keys,
    RECORDS,
    `
local after, afterMs, most, organizationId = unpack(ARGV, 4)
local function invalidCursor() return refuse('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this registry') end
local ids = {}
${page}
local reply = {}
for _, id in ipairs(ids) do
  if id ~= '' then reply[#reply + 1] = withoutAttempt(redis.call('HGET', KEYS[3], id)) end
end
return reply
`,
  );
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
  if not redis.call('ZSCORE', KEYS[2], place) then return invalidCursor() end
  first = '(' .. place
end
for _, place in ipairs(redis.call('ZRANGEBYLEX', KEYS[2], first, '(' .. organizationId .. '!', 'LIMIT', '0', most)) do
  ids[#ids + 1] = string.match(place, '%S+$')
end
`;

/** The id and the time to begin behind, or nothing; how many. Nothing is ever taken off a list, so a place in it stays. */
export const LIST_KEYS = listIn(['api-keys', 'api-key-records'], BY_RANK);
export const LIST_ORGANIZATIONS = listIn(['organizations', 'organization-records'], BY_RANK);
/** … and the organization. */
export const LIST_KEYS_OF = listIn(['api-keys-of', 'api-key-records'], BY_PLACE);
