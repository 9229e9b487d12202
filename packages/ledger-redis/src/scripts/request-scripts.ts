import { AMOUNTS } from '../lua/amounts.js';
import { script } from '../lua/opening.js';
import { KEYS_OF_TEXTS, PLACES, TEXTS } from './text-scripts.js';

/** How many calls are kept: the newest, with an equal share for each organization. */
const MAX_ROWS = 50_000;
/** How many sums are kept: the newest. */
const MAX_SUMS = 200_000;

/** A call is one text: the ids of its answer and of its organization, a line each, then JSON. The lists of calls end with an empty name that stays. */
const ROWS = `${TEXTS}
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
  removeText(id)
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
  ...KEYS_OF_TEXTS,
] as const;

/**
 * Sums are lists by their names: the cost as a text, how many, how many rescued, and 17 counts of durations. Names are in the order of time, those of hours (1) before those of days (2): so the oldest are the first. The list of names begins
 * with an empty one that stays.
 */
const SUMS = `
local function removeSums(from, before, most)
  local names = redis.call('ZRANGEBYLEX', REQUEST_SUM_NAMES, from, before, 'LIMIT', 0, most)
  for _, name in ipairs(names) do
    redis.call('HDEL', REQUEST_SUMS, name)
    redis.call('ZREM', REQUEST_SUM_NAMES, name)
  end
  return #names
end
`;

const KEYS_OF_SUMS = ['request-sums', 'request-sum-names'] as const;

/** A list: an empty text that stays, then sums of batches until many are merged, the oldest first. Each text begins with an id of its own. */
const KEY_OF_TEXTS = 'request-sum-texts';

/**
 * How many texts are many, the text of the sums, then id, time, organization, answer and row of each call. Where some calls are known, does nothing but give their
 * ids; else gives an empty id where there are many texts.
 */
export const APPEND_REQUESTS = script([...KEYS_OF_LOG, KEY_OF_TEXTS])`${ROWS}
local known = {}
for index = 6, #ARGV, 5 do
  if redis.call('HEXISTS', REQUESTS, ARGV[index]) == 1 then known[#known + 1] = ARGV[index] end
end
if #known > 0 then return known end
for index = 6, #ARGV, 5 do
  local id, atMs, organizationId, answerId, row = unpack(ARGV, index, index + 4)
  redis.call('HSET', REQUESTS, id, row)
  redis.call('ZADD', REQUESTS_BY_TIME, atMs, id)
  redis.call('ZADD', REQUESTS_BY_ORGANIZATION, '0', placeOf(organizationId, atMs, id))
  redis.call('ZINCRBY', REQUEST_COUNTS, 1, organizationId)
  if answerId ~= '' then redis.call('HSET', REQUESTS_BY_ANSWER, answerId, id) end
end
removeSurplus(${MAX_ROWS}, #ARGV)
return redis.call('RPUSH', REQUEST_SUM_TEXTS, ARGV[5]) > tonumber(ARGV[4]) and { '' } or {}
`;

/** The first place and the last. */
export const LIST_TEXTS = script([KEY_OF_TEXTS])`return redis.call('LRANGE', REQUEST_SUM_TEXTS, ARGV[4], ARGV[5])`;

/** How many texts, the first of them, the last, and those that take their place: nothing is changed where others are there. */
export const REPLACE_TEXTS = script([KEY_OF_TEXTS])`
local count, first, last = unpack(ARGV, 4, 6)
if redis.call('LINDEX', REQUEST_SUM_TEXTS, 1) ~= first or redis.call('LINDEX', REQUEST_SUM_TEXTS, count) ~= last then return {} end
redis.call('LTRIM', REQUEST_SUM_TEXTS, count, -1)
redis.call('LSET', REQUEST_SUM_TEXTS, 0, '')
for index = 7, #ARGV do redis.call('RPUSH', REQUEST_SUM_TEXTS, ARGV[index]) end
return { count }
`;

/**
 * A text, then name and sums of all groups in it: the cost, how many, how many rescued, then the places of durations with their counts. Does nothing where the
 * text is merged.
 */
export const MERGE_TEXT = script([...KEYS_OF_SUMS, KEY_OF_TEXTS])`${SUMS}${AMOUNTS}
if redis.call('LREM', REQUEST_SUM_TEXTS, 1, ARGV[4]) == 0 then return {} end
local function added(before, more)
  local sums = before and cmsgpack.unpack(before) or { '0', ${Array.from({ length: 19 }, () => 0).join(', ')} }
  local next = string.gmatch(more, '%S+')
  sums[1] = digits(amount(sums[1]) + amount(next()))
  for index = 2, 3 do sums[index] = sums[index] + next() end
  for place in next do sums[place + 4] = sums[place + 4] + next() end
  return cmsgpack.pack(sums)
end

for index = 5, #ARGV, 2 do
  local name, sums = unpack(ARGV, index, index + 1)
  local before = redis.call('HGET', REQUEST_SUMS, name)
  if not before then redis.call('ZADD', REQUEST_SUM_NAMES, '0', name) end
  redis.call('HSET', REQUEST_SUMS, name, added(before, sums))
end
local surplus = redis.call('ZCARD', REQUEST_SUM_NAMES) - 1 - ${MAX_SUMS}
if surplus > 0 then removeSums('[1', '+', math.min(surplus, #ARGV)) end
return {}
`;

/**
 * Between which places, how many names are looked at, of which kind, and of which organizations: of all where none is named.
 * Gives the last name, empty where no others follow, then names and sums.
 */
export const LIST_SUMS = script(KEYS_OF_SUMS)`
local from, to, most, kind = unpack(ARGV, 4)
local wanted = {}
for index = 8, #ARGV do wanted[ARGV[index]] = true end
local names = redis.call('ZRANGEBYLEX', REQUEST_SUM_NAMES, '(' .. from, '(' .. to, 'LIMIT', 0, most)
local reply = { #names == tonumber(most) and names[#names] or '' }
for _, name in ipairs(names) do
  local of, organizationId = string.match(name, '(%a+)\\n([^\\n]*)')
  if of == kind and (#ARGV == 7 or wanted[organizationId]) then
    reply[#reply + 1] = name
    reply[#reply + 1] = table.concat(cmsgpack.unpack(redis.call('HGET', REQUEST_SUMS, name)), ' ')
  end
end
return reply
`;

/** Organization, the name behind which is looked, and at how many. Removes its sums, and gives the last name, empty where no others follow. */
export const ERASE_SUMS = script(KEYS_OF_SUMS)`
local organizationId, from, most = unpack(ARGV, 4)
local names = redis.call('ZRANGEBYLEX', REQUEST_SUM_NAMES, '(' .. from, '+', 'LIMIT', 0, most)
for _, name in ipairs(names) do
  if string.match(name, '\\n([^\\n]*)') == organizationId then
    redis.call('HDEL', REQUEST_SUMS, name)
    redis.call('ZREM', REQUEST_SUM_NAMES, name)
  end
end
return { #names == tonumber(most) and names[#names] or '' }
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

/**
 * Before which time, how many calls may stay, how many of each are removed at most, and the first names of hours and of days that stay. Gives how many were removed.
 */
export const PRUNE_REQUESTS = script([...KEYS_OF_LOG, ...KEYS_OF_SUMS])`${ROWS}${SUMS}
local beforeMs, maxRows, most, hour, day = unpack(ARGV, 4)
local ids = redis.call('ZRANGEBYSCORE', REQUESTS_BY_TIME, '-inf', '(' .. beforeMs, 'LIMIT', 0, most)
for _, id in ipairs(ids) do remove(id) end
local removed = #ids + removeSums('[1', '(' .. hour, most) + removeSums('[2', '(' .. day, most)
return { whole(removed > 0 and removed or removeSurplus(tonumber(maxRows), tonumber(most))) }
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
