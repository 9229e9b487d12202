import { script } from '../lua/opening.js';

/** How many texts of an organization are kept: the newest. */
const MAX_TEXTS = 1_000;

export const KEYS_OF_TEXTS = ['request-texts', 'request-texts-by-time', 'request-texts-by-organization'] as const;

/** Calls and texts by organization and time, as texts in this order. An organization's end where its line does. */
export const PLACES = `
local function placeOf(organizationId, atMs, id) return organizationId .. '\\n' .. string.format('%016.0f', atMs) .. '\\n' .. id end

local function idsOfPlaces(places)
  local ids = {}
  for index, place in ipairs(places) do ids[index] = string.match(place, '[^\\n]*$') end
  return ids
end
`;

/** A text is one text: the id of its organization, a line, then JSON. */
export const TEXTS = `${PLACES}
local function removeText(id)
  local text = redis.call('HGET', REQUEST_TEXTS, id)
  if not text or id == '' then return 0 end
  local atMs = redis.call('ZSCORE', REQUEST_TEXTS_BY_TIME, id)
  redis.call('ZREM', REQUEST_TEXTS_BY_ORGANIZATION, placeOf(string.match(text, '^[^\\n]*'), atMs, id))
  redis.call('ZREM', REQUEST_TEXTS_BY_TIME, id)
  redis.call('HDEL', REQUEST_TEXTS, id)
  return 1
end
`;

/** Id, time, organization and text of each. */
export const APPEND_TEXTS = script(KEYS_OF_TEXTS)`${TEXTS}
for index = 4, #ARGV, 4 do
  local id, atMs, organizationId, text = unpack(ARGV, index, index + 3)
  if redis.call('HSETNX', REQUEST_TEXTS, id, text) == 1 then
    redis.call('ZADD', REQUEST_TEXTS_BY_TIME, atMs, id)
    redis.call('ZADD', REQUEST_TEXTS_BY_ORGANIZATION, '0', placeOf(organizationId, atMs, id))
    local first, last = '[' .. organizationId .. '\\n', '(' .. organizationId .. '\\v'
    local surplus = redis.call('ZLEXCOUNT', REQUEST_TEXTS_BY_ORGANIZATION, first, last) - ${MAX_TEXTS}
    local oldest = redis.call('ZRANGEBYLEX', REQUEST_TEXTS_BY_ORGANIZATION, first, last, 'LIMIT', 0, math.max(0, surplus))
    for _, old in ipairs(idsOfPlaces(oldest)) do removeText(old) end
  end
end
return {}
`;

/** Ids. Gives those that are there. */
export const FIND_TEXTS = script(['request-texts'])`
local found = {}
for index = 4, #ARGV do
  local text = redis.call('HGET', REQUEST_TEXTS, ARGV[index])
  if text then found[#found + 1] = text end
end
return found
`;

/** Before which time, and how many at most. Gives how many were removed. */
export const PRUNE_TEXTS = script(KEYS_OF_TEXTS)`${TEXTS}
local ids = redis.call('ZRANGEBYSCORE', REQUEST_TEXTS_BY_TIME, '-inf', '(' .. ARGV[4], 'LIMIT', 0, ARGV[5])
for _, id in ipairs(ids) do removeText(id) end
return { whole(#ids) }
`;

/** Organization, the place behind which is looked, and at how many. Gives the last place, empty where no others follow, then the texts. */
export const LIST_TEXTS = script(KEYS_OF_TEXTS)`${TEXTS}
local organizationId, from, most = unpack(ARGV, 4)
local places = redis.call('ZRANGEBYLEX', REQUEST_TEXTS_BY_ORGANIZATION, '(' .. (from == '' and organizationId .. '\\n' or from), '(' .. organizationId .. '\\v', 'LIMIT', 0, most)
local reply = { #places == tonumber(most) and places[#places] or '' }
for _, id in ipairs(idsOfPlaces(places)) do reply[#reply + 1] = redis.call('HGET', REQUEST_TEXTS, id) end
return reply
`;

/** Ids. Gives how many were removed. */
export const REMOVE_TEXTS = script(KEYS_OF_TEXTS)`${TEXTS}
local removed = 0
for index = 4, #ARGV do removed = removed + removeText(ARGV[index]) end
return { whole(removed) }
`;
