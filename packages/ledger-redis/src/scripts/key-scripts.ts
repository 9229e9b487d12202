import { OPENING } from '../lua/opening.js';

/** The fields of a key in the order in which replies give them; those of RAW_FIELDS as they are, the others as JSON. */
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
] as const;

/** The fields of an organisation in the order in which replies give them, likewise. */
export const ORGANIZATION_FIELDS = ['id', 'name', 'createdAtMs', 'suspendedAtMs'] as const;

/** Never `null`. A hash in quotes would be longer than the 64 characters up to which Redis keeps a small record in a third of the memory. */
export const RAW_FIELDS: ReadonlySet<string> = new Set(['id', 'hash', 'organizationId']);

const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');

const RECORDS = `
local function addRecord(reply, kind, id)
  local name = base .. kind .. ':' .. id
  local found
  if kind == 'api-key' then found = redis.call('HMGET', name, ${quoted(KEY_FIELDS)})
  else found = redis.call('HMGET', name, ${quoted(ORGANIZATION_FIELDS)}) end
  if found[1] then
    for _, value in ipairs(found) do reply[#reply + 1] = value end
  end
  return reply
end

-- Writes the pairs of field and value among the arguments from an index on.
local function change(name, from)
  for index = from, #ARGV, 2 do redis.call('HSET', name, ARGV[index], ARGV[index + 1]) end
end
`;

/** Id, hash, organisation, when it is created; then fields and values. */
export const INSERT_KEY = `${OPENING}${RECORDS}
local id, hash, organizationId, createdAtMs = unpack(ARGV, 4, 7)
local name = base .. 'api-key:' .. id
local attempt = redis.call('HGET', name, 'attempt')
if attempt == token then return { '1' } end
if attempt or redis.call('HEXISTS', base .. 'api-key-hashes', hash) == 1 then
  return refuse('duplicate_key', 'a key with the id ' .. id .. ' or the same secret exists already')
end
redis.call('HSET', name, 'attempt', token)
change(name, 8)
redis.call('HSET', base .. 'api-key-hashes', hash, id)
redis.call('ZADD', base .. 'api-keys', createdAtMs, id)
redis.call('ZADD', base .. 'api-keys-of:' .. organizationId, createdAtMs, id)

local organization = base .. 'organization:' .. organizationId
if redis.call('EXISTS', organization) == 0 then
  redis.call('HSET', organization, 'id', organizationId, 'name', 'null', 'createdAtMs', createdAtMs, 'suspendedAtMs', 'null')
  redis.call('ZADD', base .. 'organizations', createdAtMs, organizationId)
end
return { '1' }
`;

/** Id, when it is created; then fields and values. */
export const INSERT_ORGANIZATION = `${OPENING}${RECORDS}
local id, createdAtMs = ARGV[4], ARGV[5]
local name = base .. 'organization:' .. id
if redis.call('EXISTS', name) == 1 then return { redis.call('HGET', name, 'attempt') == token and '1' or '0' } end
redis.call('HSET', name, 'attempt', token)
change(name, 6)
redis.call('ZADD', base .. 'organizations', createdAtMs, id)
return { '1' }
`;

/** `api-key` or `organization`, id; then fields and values to change. Gives the record, or nothing. A revocation stands. */
export const UPDATE_RECORD = `${OPENING}${RECORDS}
local kind, id = ARGV[4], ARGV[5]
local name = base .. kind .. ':' .. id
if redis.call('EXISTS', name) == 0 then return {} end
local revoked = kind == 'api-key' and redis.call('HGET', name, 'revokedAtMs')
change(name, 6)
if revoked and revoked ~= 'null' then redis.call('HSET', name, 'revokedAtMs', revoked) end
return addRecord({}, kind, id)
`;

/** `api-key` or `organization`, id. Gives the record, or nothing. */
export const FIND_RECORD = `${OPENING}${RECORDS}
return addRecord({}, ARGV[4], ARGV[5])
`;

/** Hash. Gives the key and since when its organisation is suspended, or nothing. */
export const FIND_BY_HASH = `${OPENING}${RECORDS}
local id = redis.call('HGET', base .. 'api-key-hashes', ARGV[4])
if not id then return {} end
local reply = addRecord({}, 'api-key', id)
reply[#reply + 1] = redis.call('HGET', base .. 'organization:' .. reply[3], 'suspendedAtMs') or 'null'
return reply
`;

/** `api-key` or `organization`, the list, the id to begin behind or nothing, how many. Nothing is ever taken off a list, so a place in it stays. */
export const LIST_RECORDS = `${OPENING}${RECORDS}
local kind, list, after, most = unpack(ARGV, 4)
local first = 0
if after ~= '' then
  local rank = redis.call('ZRANK', base .. list, after)
  if not rank then return refuse('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this registry') end
  first = rank + 1
end
local reply = {}
for _, id in ipairs(redis.call('ZRANGE', base .. list, whole(first), whole(first + most - 1))) do addRecord(reply, kind, id) end
return reply
`;
