import { script } from '../lua/opening.js';

/** How many calls are kept: the newest. */
const MAX_ROWS = 50_000;

/** A call is one text: the ids of its answer and of its organization, a line each, then JSON. The lists of calls end with an empty name that stays. */
const ROWS = `
local function idsOf(row) return string.match(row, '^([^\\n]*)\\n([^\\n]*)\\n') end

local function remove(id)
  local row = redis.call('HGET', REQUESTS, id)
  if row then
    local answerId = idsOf(row)
    if answerId ~= '' and redis.call('HGET', REQUESTS_BY_ANSWER, answerId) == id then redis.call('HDEL', REQUESTS_BY_ANSWER, answerId) end
  end
  redis.call('HDEL', REQUESTS, id)
  redis.call('ZREM', REQUESTS_BY_TIME, id)
end

local function rowsKept() return redis.call('ZCARD', REQUESTS_BY_TIME) - 1 end
`;

const KEYS_OF_LOG = ['requests', 'requests-by-time', 'requests-by-answer'] as const;

/** Id, time, answer and row of each call. */
export const APPEND_REQUESTS = script(
  KEYS_OF_LOG,
  ROWS,
  `
for index = 4, #ARGV, 4 do
  local id, atMs, answerId, row = unpack(ARGV, index, index + 3)
  -- Not of an unknown call: behind a removal, however empty, Redis would let the script write on in a full memory.
  if redis.call('HEXISTS', REQUESTS, id) == 1 then remove(id) end
  redis.call('HSET', REQUESTS, id, row)
  redis.call('ZADD', REQUESTS_BY_TIME, atMs, id)
  if answerId ~= '' then redis.call('HSET', REQUESTS_BY_ANSWER, answerId, id) end
end
local surplus = rowsKept() - ${MAX_ROWS}
if surplus > 0 then
  for _, id in ipairs(redis.call('ZRANGE', REQUESTS_BY_TIME, 0, surplus - 1)) do remove(id) end
end
return { '1' }
`,
);

/** Time and id of a place, and how many calls behind it are given, newest first. */
export const LIST_REQUESTS = script(
  ['requests', 'requests-by-time'],
  `
local atMs, id, most = unpack(ARGV, 4)
local rank = id ~= '' and redis.call('ZREVRANK', REQUESTS_BY_TIME, id)
local first = rank and rank + 1 or redis.call('ZCOUNT', REQUESTS_BY_TIME, (id == '' and '' or '(') .. atMs, '+inf')
local ids = redis.call('ZREVRANGE', REQUESTS_BY_TIME, first, first + most - 1)
if #ids == 0 then return {} end
return redis.call('HMGET', REQUESTS, unpack(ids))
`,
);

/** Id of a request or of an answer. */
export const GET_REQUEST = script(
  ['requests', 'requests-by-answer'],
  `
local row = redis.call('HGET', REQUESTS, ARGV[4]) or redis.call('HGET', REQUESTS, redis.call('HGET', REQUESTS_BY_ANSWER, ARGV[4]) or '-')
return row and { row } or {}
`,
);

/** Before which time, how many calls may stay, and how many are removed at most. Gives how many were removed. */
export const PRUNE_REQUESTS = script(
  KEYS_OF_LOG,
  ROWS,
  `
local beforeMs, maxRows, most = unpack(ARGV, 4)
local ids = redis.call('ZRANGEBYSCORE', REQUESTS_BY_TIME, '-inf', '(' .. beforeMs, 'LIMIT', 0, most)
local surplus = math.min(rowsKept() - maxRows, tonumber(most))
if #ids == 0 and surplus > 0 then ids = redis.call('ZRANGE', REQUESTS_BY_TIME, 0, surplus - 1) end
for _, id in ipairs(ids) do remove(id) end
return { whole(#ids) }
`,
);

/** Organization, from which place among the oldest, and how many calls are looked at. Gives how many were removed of them, and how many were looked at. */
export const ERASE_REQUESTS = script(
  KEYS_OF_LOG,
  ROWS,
  `
local organizationId, first, most = unpack(ARGV, 4)
local removed, seen = 0, 0
for _, id in ipairs(redis.call('ZRANGE', REQUESTS_BY_TIME, first, first + most - 1)) do
  if id ~= '' then
    seen = seen + 1
    local _, owner = idsOf(redis.call('HGET', REQUESTS, id))
    if owner == organizationId then
      remove(id)
      removed = removed + 1
    end
  end
end
return { whole(removed), whole(seen) }
`,
);
