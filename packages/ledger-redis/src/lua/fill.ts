/**
 * From version 3 to 4: the sums of `usage` are filled from the log, some entries at a time, while others already work with version 4. META says which numbers are
 * left: the first and the last. What is written from then on is summed at once.
 */
export const FILL = `
local ENTRIES_AT_ONCE = 200

local function beginFilling()
  redis.call('HSET', SUMS, '', '')
  redis.call('ZADD', SUM_NAMES, '0', '')
  redis.call('HSET', CHECKPOINT, '', '')
  if entries > 0 then redis.call('HSET', META, 'filling', '1 ' .. whole(entries)) end
end

-- Whether that was the last step.
local function fill()
  local first, last = string.match(redis.call('HGET', META, 'filling') or '1 0', '^(%d+) (%d+)$')
  local stop = math.min(tonumber(last), first + ENTRIES_AT_ONCE - 1)
  for _, entry in ipairs(redis.call('XRANGE', LOG, first .. '-0', whole(stop) .. '-0')) do
    local fields = entry[2]
    -- Entries of version 3 have no tag.
    sumEntry(fields[2], fields[6], fields[8], fields[10], tonumber(fields[12]), fields[16], '', fields[20])
  end
  saveSumNames()
  saveHashes()
  if stop < tonumber(last) then
    redis.call('HSET', META, 'filling', whole(stop + 1) .. ' ' .. last)
    return false
  end
  redis.call('HDEL', META, 'filling')
  return true
end
`;
