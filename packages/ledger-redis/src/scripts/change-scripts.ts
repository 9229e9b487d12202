import { script } from '../lua/opening.js';

/** How many records that can be erased are kept: the newest. A flood of them pushes out no record of money. */
const MAX_ERASABLE = 20_000;
const KEYS = ['changes', 'changes-by-id', 'erasable-changes'] as const;

/** A record is its organization, which is empty for a record that stays, a line, and JSON. Each list of ids begins with an empty one. */
const REMOVE = `
local function remove(ids)
  for _, id in ipairs(ids) do
    redis.call('HDEL', CHANGES, id)
    redis.call('ZREM', CHANGES_BY_ID, id)
    redis.call('ZREM', ERASABLE_CHANGES, id)
  end
end
`;

/** Id, record, and the first id that is not too old. */
export const KEEP_CHANGE = script(KEYS)`${REMOVE}
local id, record, oldestId = unpack(ARGV, 4)
redis.call('HSET', CHANGES, id, record)
redis.call('ZADD', CHANGES_BY_ID, 0, id)
remove(redis.call('ZRANGEBYLEX', CHANGES_BY_ID, '(', '(' .. oldestId, 'LIMIT', 0, 100))
if string.sub(record, 1, 1) ~= '\\n' then
  redis.call('ZADD', ERASABLE_CHANGES, 0, id)
  remove(redis.call('ZRANGE', ERASABLE_CHANGES, 1, -${MAX_ERASABLE + 1}))
end
return { '1' }
`;

/** Before which id, and how many at most. Gives records, newest first. */
export const NEWEST_CHANGES = script(KEYS)`
local beforeId, most = unpack(ARGV, 4)
local ids = redis.call('ZREVRANGEBYLEX', CHANGES_BY_ID, '(' .. beforeId, '(', 'LIMIT', 0, most)
if #ids == 0 then return {} end
return redis.call('HMGET', CHANGES, unpack(ids))
`;

/** Organization, the id behind which it is looked at, and how many records at most. Gives how many were removed, and the last id. */
export const ERASE_CHANGES = script(KEYS)`${REMOVE}
local organizationId, afterId, most = unpack(ARGV, 4)
local ids = redis.call('ZRANGEBYLEX', ERASABLE_CHANGES, '(' .. afterId, '+', 'LIMIT', 0, most)
local own = {}
for _, id in ipairs(ids) do
  if string.match(redis.call('HGET', CHANGES, id), '^[^\\n]*') == organizationId then own[#own + 1] = id end
end
remove(own)
return { whole(#own), ids[#ids] or '' }
`;

/** Id, when it was seen, its text, and before which time others are forgotten; an empty id changes nothing. Gives the texts of those that live. */
export const BEAT = script(['instances'])`
local id, seenAtMs, text, beforeMs = unpack(ARGV, 4)
if id ~= '' then redis.call('HSET', INSTANCES, id, seenAtMs .. ' ' .. text) end
local living = {}
local all = redis.call('HGETALL', INSTANCES)
for index = 1, #all, 2 do
  local seen, one = string.match(all[index + 1], '^(%d+) (.*)$')
  if seen and tonumber(seen) < tonumber(beforeMs) then
    if id ~= '' then redis.call('HDEL', INSTANCES, all[index]) end
  elseif seen and #living < 100 then living[#living + 1] = one end
end
return living
`;
