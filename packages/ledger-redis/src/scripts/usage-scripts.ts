import { CALENDAR } from '../lua/calendar.js';
import { script } from '../lua/opening.js';

/** How many sums are packed together. */
const SUMS_A_PACK = 64;
const PACKS_AT_ONCE = 8;

/** Refuses where the sums are not complete. */
export const COMPLETE = `
if redis.call('HEXISTS', META, 'filling') == 1 then
  return refuse('schema_mismatch', 'the sums of usage are being filled from the log: wait for migrate()')
end
`;

/** The first and the last period of a level, or nothing, and the organizations of a key. */
export const BOUNDS = `
local function periodOf(names) return names[1] and tonumber(string.sub(names[1], 2, 8)) end

local function boundsOf(level)
  local first, last
  for _, letter in ipairs({ level, string.upper(level) }) do
    local front, behind = '[' .. letter, '(' .. string.char(string.byte(letter) + 1)
    local one = periodOf(redis.call('ZRANGEBYLEX', SUM_NAMES, front, behind, 'LIMIT', '0', '1'))
    if one then
      local other = periodOf(redis.call('ZREVRANGEBYLEX', SUM_NAMES, behind, front, 'LIMIT', '0', '1'))
      first, last = math.min(first or one, one), math.max(last or other, other)
    end
  end
  return first, last
end

local function organizationsOf(keyId)
  local ids = {}
  for _, name in ipairs(redis.call('ZRANGEBYLEX', SUM_NAMES, '[k' .. keyId .. ' ', '(k' .. keyId .. '!')) do
    ids[#ids + 1] = string.match(name, '%S+$')
  end
  return ids
end
`;

/**
 * Key, or nothing. Gives how often sums were packed; the first day, the last day, the first month and the last one, empty where there is none; the organizations
 * of the key.
 */
export const SUM_BOUNDS = script(
  ['sum-names'],
  COMPLETE,
  BOUNDS,
  `
local reply = { redis.call('HGET', META, 'packings') or '0' }
for _, level in ipairs({ 'd', 'm' }) do
  local first, last = boundsOf(level)
  reply[#reply + 1], reply[#reply + 2] = first and whole(first) or '', last and whole(last) or ''
end
if ARGV[4] == '' then return reply end
for _, id in ipairs(organizationsOf(ARGV[4])) do reply[#reply + 1] = id end
return reply
`,
);

/**
 * Reading of sums: `readSums` offers those of ranges of names, which begin at `first` in ARGV, each by its two ends as ZRANGEBYLEX has them, until `most` names
 * and ranges have been looked at. Of packs it offers the rows that begin with `prefix`. Gives the range to go on at and the name to go on behind, or nothing.
 *
 * A reply is a list of periods and, for each, rows: a line end, the name without its period, a tab, the sums.
 */
export const READING_SUMS = `
local reply = { '', '' }
local period, rows = nil, {}

local function flush()
  if not period then return end
  reply[#reply + 1], reply[#reply + 2] = period, table.concat(rows)
  rows = {}
end

local function offer(name, text)
  local at = string.sub(name, 2, 8)
  if at ~= period then
    flush()
    period = at
  end
  rows[#rows + 1] = text
end

local function rowsOf(pack, prefix)
  if prefix == '' then return pack end
  local found, from = {}, 1
  while true do
    local first = string.find(pack, '\\n' .. prefix, from, true)
    if not first then return table.concat(found) end
    from = string.find(pack, '\\n', first + 1, true) or #pack + 1
    found[#found + 1] = string.sub(pack, first, from - 1)
  end
end

-- Packs do not overlap: what a range of one period begins with may be in the last pack before it.
local function packBefore(low)
  local before = string.sub(low, 2)
  return redis.call('ZREVRANGEBYLEX', SUM_NAMES, '(' .. before, '[' .. string.sub(before, 1, 9), 'LIMIT', '0', '1')
end

-- Gives how many names it has looked at, and the last one where there may be more.
local function readRange(low, high, prefix, most)
  local names = redis.call('ZRANGEBYLEX', SUM_NAMES, low, high, 'LIMIT', '0', whole(most))
  local isPack = string.find(low, '^.%u')
  local following = #names == most and names[#names]
  if isPack and prefix ~= '' and string.sub(low, 1, 1) == '[' then
    local before = packBefore(low)[1]
    if before then table.insert(names, 1, before) end
  end
  if #names == 0 then return 0 end
  local texts = redis.call('HMGET', SUMS, unpack(names))
  for place, name in ipairs(names) do
    if isPack then offer(name, rowsOf(texts[place], prefix)) else offer(name, '\\n' .. string.sub(name, 10) .. '\\t' .. texts[place]) end
  end
  return #names, following
end

local function readSums(first, prefix, most)
  local looked = 0
  for index = first, #ARGV, 2 do
    local count, following = readRange(ARGV[index], ARGV[index + 1], prefix, most)
    looked = looked + count + 1
    if following or looked >= most and index + 2 < #ARGV then
      flush()
      reply[1], reply[2] = whole((index - first) / 2 + (following and 0 or 1)), following or ''
      return reply
    end
  end
  flush()
  return reply
end
`;

/**
 * How often sums were packed when the reading began, how many names to look at, the organization and key that names begin with or nothing, ranges. Gives the
 * range to go on at and the name to go on behind, or nothing at the end; then periods and rows. `packed` where sums were packed since: then one may have
 * been read twice, or not at all.
 */
export const READ_SUMS = script(
  ['sums', 'sum-names'],
  COMPLETE,
  READING_SUMS,
  `
if (redis.call('HGET', META, 'packings') or '0') ~= ARGV[4] then return { 'packed' } end
return readSums(7, ARGV[6], tonumber(ARGV[5]))
`,
);

/**
 * Packs some sums of days and months that are over: they do not change any more, and are read ten times as fast and take a fifth of the memory. A pack holds
 * the rows of consecutive names of one period; it is a field of `sums` as well, and has the name of its first row with a capital letter. Each level is packed
 * once from its beginning on. What comes in later for a period that was packed, since the clock was set back, stays what it is and is added when read. Gives `more`
 * or `done`.
 */
export const PACK = script(
  ['sums', 'sum-names'],
  CALENDAR,
  `
local function pack(level, present)
  local marker = redis.call('HGET', META, 'packed ' .. level) or level
  local found = redis.call('ZRANGEBYLEX', SUM_NAMES, '(' .. marker, '(' .. string.format('%s%07.0f', level, present), 'LIMIT', '0',
    '${SUMS_A_PACK}')
  if #found == 0 then return false end
  local names, rows = {}, {}
  for place, name in ipairs(found) do
    if string.sub(name, 1, 9) ~= string.sub(found[1], 1, 9) then break end
    names[place] = name
  end
  for place, text in ipairs(redis.call('HMGET', SUMS, unpack(names))) do
    rows[place] = '\\n' .. string.sub(names[place], 10) .. '\\t' .. text
  end
  local packName = string.upper(level) .. string.sub(names[1], 2)
  redis.call('HSET', META, 'packed ' .. level, names[#names])
  redis.call('HSET', SUMS, packName, table.concat(rows))
  redis.call('ZADD', SUM_NAMES, '0', packName)
  redis.call('HDEL', SUMS, unpack(names))
  redis.call('ZREM', SUM_NAMES, unpack(names))
  return true
end

if redis.call('HEXISTS', META, 'filling') == 1 then return { 'done' } end
local today = math.floor(now / DAY)
local periods = { { 'd', today }, { 'o', today }, { 'm', (monthOf(today)) } }
local packs, place = 0, 1
while packs < ${PACKS_AT_ONCE} and periods[place] do
  if pack(unpack(periods[place])) then packs = packs + 1 else place = place + 1 end
end
if packs > 0 then redis.call('HINCRBY', META, 'packings', '1') end
return { packs == ${PACKS_AT_ONCE} and 'more' or 'done' }
`,
);
