import { NUMBERS_A_PIECE } from '../lua/books.js';
import { KEY_FIELDS, ORGANIZATION_FIELDS } from './key-scripts.js';

const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');

/**
 * Version 1 had a key for every book, list, hold and record, so that some could be missing unseen. Writes all of it anew, then lets the old keys go. A run
 * that was interrupted is begun again. Looks through every key of the database for holds, since ended ones are in no list.
 */
export const FROM_VERSION_1 = `
local base = string.sub(META, 1, -5)
local before = redis.call('HMGET', META, 'entries', 'stamp', 'behind')
local old = { base .. 'orgs', base .. 'keys' }

local function takeOver(name)
  old[#old + 1] = name
  return name
end

-- How many entries concern a subject, and the numbers of the latest.
local function numbersOf(kind, id)
  local numbers = redis.call('LRANGE', takeOver(base .. 'log-of-' .. kind .. ':' .. id), '0', '-1')
  local full = math.floor(#numbers / ${NUMBERS_A_PIECE})
  for place = 0, full - 1 do
    local from = place * ${NUMBERS_A_PIECE} + 1
    redis.call('HSET', INDEX, kind .. ' ' .. id .. ' ' .. whole(place), table.concat(numbers, ',', from, from + ${NUMBERS_A_PIECE - 1}))
  end
  return whole(#numbers) .. ' ' .. table.concat(numbers, ',', full * ${NUMBERS_A_PIECE} + 1)
end

local function copyBooks(kind, books, fields)
  for _, id in ipairs(redis.call('SMEMBERS', base .. kind .. 's')) do
    local book = redis.call('HMGET', takeOver(base .. kind .. ':' .. id), unpack(fields))
    for index = 1, #fields do book[index] = book[index] or '0' end
    book[#fields + 1] = numbersOf(kind, id)
    redis.call('HSET', books, id, table.concat(book, ' '))
  end
end

local function copyHold(name, ended)
  local id, text = string.sub(name, #base + 6), redis.call('GET', takeOver(name))
  redis.call('HSET', HOLDS, id, text)
  if string.sub(text, 1, 5) ~= 'open ' then ended[#ended + 1] = { now + redis.call('PTTL', name), id } end
end

local function copyHolds()
  local ended, cursor = {}, '0'
  repeat
    local found = redis.call('SCAN', cursor, 'MATCH', base .. 'hold:*', 'COUNT', '1000')
    for _, name in ipairs(found[2]) do copyHold(name, ended) end
    cursor = found[1]
  until cursor == '0'
  table.sort(ended, function(one, other) return one[1] < other[1] end)
  for _, hold in ipairs(ended) do redis.call('RPUSH', ENDED, whole(hold[1]) .. ' ' .. hold[2]) end
end

-- Grants and adjustments know the entry that tells of them.
local function noteUses()
  local uses = { grant = GRANTS, adjustment = ADJUSTMENTS }
  for number = 1, tonumber(before[1] or '0') do
    local fields = redis.call('XRANGE', LOG, whole(number) .. '-0', whole(number) .. '-0')[1][2]
    local key, id = uses[fields[2]], fields[4]
    local attempt = key and string.match(redis.call('HGET', key, id) or '-', '^%S+')
    if key then redis.call('HSET', key, id, attempt .. ' ' .. whole(number)) end
  end
end

local function copyRecords(kind, list, records, fields)
  for _, id in ipairs(redis.call('ZRANGE', list, '0', '-1')) do
    if id ~= '' then
      local record = redis.call('HMGET', takeOver(base .. kind .. ':' .. id), 'attempt', unpack(fields))
      record[1] = record[1] or '-'
      for index = 2, #fields + 1 do record[index] = record[index] or 'null' end
      redis.call('HSET', records, id, table.concat(record, '\\n'))
      if kind == 'api-key' then
        takeOver(base .. 'api-keys-of:' .. record[4])
        redis.call('ZADD', API_KEYS_OF, '0', table.concat({ record[4], string.format('%016.0f', tonumber(record[9])), id }, ' '))
      end
    end
  end
end

redis.call('DEL', ORG_BOOKS, KEY_BOOKS, HOLDS, ENDED, INDEX, API_KEY_RECORDS, ORGANIZATION_RECORDS, API_KEYS_OF)
create()
copyBooks('org', ORG_BOOKS, { 'held', 'usage', 'credits' })
copyBooks('key', KEY_BOOKS, { 'held', 'usage', 'daily', 'weekly', 'monthly', 'dailyAt', 'weeklyAt', 'monthlyAt' })
copyHolds()
noteUses()
copyRecords('api-key', API_KEYS, API_KEY_RECORDS, { ${quoted(KEY_FIELDS)} })
copyRecords('organization', ORGANIZATIONS, ORGANIZATION_RECORDS, { ${quoted(ORGANIZATION_FIELDS)} })
redis.call('HSET', META, 'version', '2', 'log', table.concat({ before[1] or '0', before[2] or '0', before[3] or '0' }, ' '))
redis.call('HDEL', META, 'entries', 'stamp', 'behind')
for _, name in ipairs(old) do redis.call('UNLINK', name) end
`;
