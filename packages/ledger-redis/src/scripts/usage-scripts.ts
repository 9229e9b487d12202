import { script } from '../lua/opening.js';

/** Which rows of a pack are read: all, those by organization and key, those by organization, model and tag. */
export const ALL_ROWS = '';
export const BY_KEY = 'k';
export const BY_MODEL = 'm';

/** The first and the last period of names that begin with a letter, or nothing, and the organizations of a key. */
export const BOUNDS = `
local function boundsOf(letter)
  local front, behind = '[' .. letter, '(' .. string.char(string.byte(letter) + 1)
  local first = redis.call('ZRANGEBYLEX', SUM_NAMES, front, behind, 'LIMIT', '0', '1')[1]
  if not first then return end
  local last = redis.call('ZREVRANGEBYLEX', SUM_NAMES, behind, front, 'LIMIT', '0', '1')[1]
  return tonumber(string.sub(first, 2, 8)), tonumber(string.sub(last, 2, 8))
end

local function organizationsOf(keyId)
  local ids = {}
  for _, name in ipairs(redis.call('ZRANGEBYLEX', SUM_NAMES, '[k' .. keyId .. ' ', '(k' .. keyId .. '!')) do
    ids[#ids + 1] = string.match(name, '%S+$')
  end
  return ids
end
`;

/** The letters that names begin with, in the order of SUM_BOUNDS. */
export const LETTERS = ['d', 'D', 'm', 'M', 'o', 'O'] as const;

export type Letter = (typeof LETTERS)[number];

/** Key, or nothing. Gives how often sums were packed; for each letter the first and the last period, empty where there is none; the organizations of the key. */
export const SUM_BOUNDS = script(['sum-names'])`${BOUNDS}
local reply = { redis.call('HGET', META, 'rollups') or '0' }
for _, letter in ipairs({ '${LETTERS.join("', '")}' }) do
  local first, last = boundsOf(letter)
  reply[#reply + 1], reply[#reply + 2] = first and whole(first) or '', last and whole(last) or ''
end
if ARGV[4] == '' then return reply end
for _, id in ipairs(organizationsOf(ARGV[4])) do reply[#reply + 1] = id end
return reply
`;

/**
 * Reading of sums: `readSpan` looks at up to some `most` names and periods, and adds rows to the reply. Of packs it reads the rows that `view` names. Names of one owner,
 * an organization or one of its keys with a space at the end, are together in each period, so that only those are looked at.
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
local function readRange(low, high, prefix, view, most)
  local names = redis.call('ZRANGEBYLEX', SUM_NAMES, low, high, 'LIMIT', '0', whole(most))
  local isPack = string.find(low, '^.%u')
  local following = #names == most and names[#names]
  if isPack and prefix ~= '' and string.sub(low, 1, 1) == '[' then
    local before = packBefore(low)[1]
    if before then table.insert(names, 1, before) end
  end
  if #names == 0 then return 0 end
  local fields = names
  if isPack and view ~= '' then
    fields = {}
    for place, name in ipairs(names) do fields[place] = name .. '\\t' .. view end
  end
  local texts = redis.call('HMGET', SUMS, unpack(fields))
  for place, name in ipairs(names) do
    local text = texts[place] or redis.call('HGET', SUMS, name)
    if isPack then offer(name, rowsOf(text, prefix)) else offer(name, '\\n' .. string.sub(name, 10) .. '\\t' .. text) end
  end
  return #names, following
end

-- The rows from \`low\` to \`high\`, as ZRANGEBYLEX has them, of one owner or of all. Gives where to go on, or nothing at the end.
local function readSpan(low, high, owner, view, most)
  if owner == '' then
    local _, following = readRange(low, high, '', view, most)
    return following and '(' .. following
  end
  local looked = 0
  local from = string.sub(low, 1, 1) == '(' and low
  while looked < most do
    local name = from and string.sub(from, 2) or redis.call('ZRANGEBYLEX', SUM_NAMES, low, high, 'LIMIT', '0', '1')[1]
    if not name then return nil end
    local front = string.sub(name, 1, 9)
    local count, following = readRange(from or '[' .. front .. owner, '(' .. front .. string.sub(owner, 1, -2) .. '!', owner, view, most)
    if following then return '(' .. following end
    -- The next period. '!' is the next character after the space.
    looked, from, low = looked + count + 1, nil, '[' .. string.sub(front, 1, 8) .. '!'
  end
  return low
end
`;

/**
 * How often sums were packed when the reading began, how many names to look at, the owner or nothing, which rows of packs, where to begin and where to end. Gives where to
 * go on, or nothing at the end; nothing; then periods and rows. `packed` where sums were packed since: then one may have been read twice, or not at all.
 */
export const READ_SUMS = script(['sums', 'sum-names'])`${READING_SUMS}
local rollups, most, owner, view, low, high = unpack(ARGV, 4)
if (redis.call('HGET', META, 'rollups') or '0') ~= rollups then return { 'packed' } end
reply[1] = readSpan(low, high, owner, view, tonumber(most)) or ''
flush()
return reply
`;
