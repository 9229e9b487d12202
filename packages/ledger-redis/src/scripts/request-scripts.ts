import { script } from '../lua/opening.js';

/** How many calls are kept: the newest, with an equal share for each organization. */
const MAX_ROWS = 50_000;

/** Calls by organization and time, as texts in this order. An organization's end where its line does. */
const PLACES = `
local function placeOf(organizationId, atMs, id) return organizationId .. '\\n' .. string.format('%016.0f', atMs) .. '\\n' .. id end

local function idsOfPlaces(places)
  local ids = {}
  for index, place in ipairs(places) do ids[index] = string.match(place, '[^\\n]*$') end
  return ids
end
`;

/** A call is one text: the ids of its answer and of its organization, a line each, then JSON. The lists of calls end with an empty name that stays. */
const ROWS = `${PLACES}
local function idsOf(row) return string.match(row, '^([^\\n]*)\\n([^\\n]*)\\n') end

local function remove(id)
  local row = redis.call('HGET', REQUESTS, id)
  if row then
    local answerId, organizationId = idsOf(row)
    if answerId ~= '' and redis.call('HGET', REQUESTS_BY_ANSWER, answerId) == id then redis.call('HDEL', REQUESTS_BY_ANSWER, answerId) end
    redis.call('ZREM', REQUESTS_BY_ORGANIZATION, placeOf(organizationId, redis.call('ZSCORE', REQUESTS_BY_TIME, id), id))
    if tonumber(redis.call('ZINCRBY', REQUEST_COUNTS, -1, organizationId)) <= 0 then redis.call('ZREM', REQUEST_COUNTS, organizationId) end
  end
  redis.call('HDEL', REQUESTS, id)
  redis.call('ZREM', REQUESTS_BY_TIME, id)
end

local function removeOldest(organizationId, most)
  local places = redis.call('ZRANGEBYLEX', REQUESTS_BY_ORGANIZATION, '[' .. organizationId .. '\\n', '(' .. organizationId .. '\\v', 'LIMIT', 0, most)
  for _, id in ipairs(idsOfPlaces(places)) do remove(id) end
  return #places
end

-- Cuts the largest organization down to the second, again and again. Equal ones lose a part of the rest in turn, so that there are few turns.
local function removeSurplus(maxRows, most)
  local surplus, removed = math.min(redis.call('ZCARD', REQUESTS_BY_TIME) - 1 - maxRows, most), 0
  while removed < surplus do
    local largest, calls, _, second = unpack(redis.call('ZREVRANGE', REQUEST_COUNTS, 0, 1, 'WITHSCORES'))
    local left = surplus - removed
    local turn = math.max(calls - second, math.floor(math.min(left, calls) / 16) + 1)
    local gone = removeOldest(largest, math.min(left, turn))
    if gone == 0 then break end
    removed = removed + gone
  end
  return removed
end
`;

const KEYS_OF_LOG = [
  'requests',
  'requests-by-time',
  'requests-by-answer',
  'requests-by-organization',
  'request-counts',
] as const;

/** Id, time, organization, answer and row of each call. */
export const APPEND_REQUESTS = script(KEYS_OF_LOG)`${ROWS}
for index = 4, #ARGV, 5 do
  local id, atMs, organizationId, answerId, row = unpack(ARGV, index, index + 4)
  if redis.call('HSETNX', REQUESTS, id, row) == 1 then
    redis.call('ZADD', REQUESTS_BY_TIME, atMs, id)
    redis.call('ZADD', REQUESTS_BY_ORGANIZATION, '0', placeOf(organizationId, atMs, id))
    redis.call('ZINCRBY', REQUEST_COUNTS, 1, organizationId)
    if answerId ~= '' then redis.call('HSET', REQUESTS_BY_ANSWER, answerId, id) end
  end
end
removeSurplus(${MAX_ROWS}, #ARGV)
return { '1' }
`;

/** Time and id of a place, how many calls behind it are given, newest first, and of which organization; of all where it is empty. */
export const LIST_REQUESTS = script(['requests', 'requests-by-time', 'requests-by-organization'])`${PLACES}
local atMs, id, most, organizationId = unpack(ARGV, 4)
local ids
if organizationId ~= '' then
  ids = idsOfPlaces(redis.call('ZREVRANGEBYLEX', REQUESTS_BY_ORGANIZATION, '(' .. placeOf(organizationId, atMs, id), '[' .. organizationId .. '\\n', 'LIMIT', 0, most))
else
  local rank = id ~= '' and redis.call('ZREVRANK', REQUESTS_BY_TIME, id)
  local first = rank and rank + 1 or redis.call('ZCOUNT', REQUESTS_BY_TIME, (id == '' and '' or '(') .. atMs, '+inf')
  ids = redis.call('ZREVRANGE', REQUESTS_BY_TIME, first, first + most - 1)
end
if #ids == 0 then return {} end
return redis.call('HMGET', REQUESTS, unpack(ids))
`;

/** How many. Gives those with the most calls first. */
export const LIST_ORGANIZATIONS_OF_REQUESTS = script(['request-counts'])`
return redis.call('ZREVRANGEBYSCORE', REQUEST_COUNTS, '+inf', '(0', 'LIMIT', 0, ARGV[4])
`;

/** Id of a request or of an answer. */
export const GET_REQUEST = script(['requests', 'requests-by-answer'])`
local row = redis.call('HGET', REQUESTS, ARGV[4]) or redis.call('HGET', REQUESTS, redis.call('HGET', REQUESTS_BY_ANSWER, ARGV[4]) or '-')
return row and { row } or {}
`;

/** Before which time, how many calls may stay, and how many are removed at most. Gives how many were removed. */
export const PRUNE_REQUESTS = script(KEYS_OF_LOG)`${ROWS}
local beforeMs, maxRows, most = unpack(ARGV, 4)
local ids = redis.call('ZRANGEBYSCORE', REQUESTS_BY_TIME, '-inf', '(' .. beforeMs, 'LIMIT', 0, most)
for _, id in ipairs(ids) do remove(id) end
return { whole(#ids > 0 and #ids or removeSurplus(tonumber(maxRows), tonumber(most))) }
`;

/** Id of each call, its row before and after. Replaces those that still are as before. Gives how many are as after. */
export const REPLACE_REQUESTS = script(['requests'])`
local replaced = 0
for index = 4, #ARGV, 3 do
  local id, before, after = unpack(ARGV, index, index + 2)
  local row = redis.call('HGET', REQUESTS, id)
  if row == before then redis.call('HSET', REQUESTS, id, after) end
  if row == before or row == after then replaced = replaced + 1 end
end
return { whole(replaced) }
`;

/** Organization, and how many calls are removed at most. Gives how many were removed. */
export const ERASE_REQUESTS = script(KEYS_OF_LOG)`${ROWS}
return { whole(removeOldest(ARGV[4], ARGV[5])) }
`;
