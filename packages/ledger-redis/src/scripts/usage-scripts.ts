import { script } from '../lua/opening.js';

/** Which rows of a pack are read: all, those by organization and key, those by organization, model and tag. */
export const ALL_ROWS = '';
export const BY_KEY = 'k';
export const BY_MODEL = 'm';

/** Refuses where the sums are not complete. */
export const COMPLETE = `
if redis.call('HEXISTS', META, 'filling') == 1 then
  return refuse('schema_mismatch', 'the sums of usage are being filled from the log: wait for migrate()')
end
`;

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
export const SUM_BOUNDS = script(
  ['sum-names'],
  COMPLETE,
  BOUNDS,
  `
local reply = { redis.call('HGET', META, 'packings') or '0' }
for _, letter in ipairs({ ${LETTERS.map((letter) => `'${letter}'`).join(', ')} }) do
  local first, last = boundsOf(letter)
  reply[#reply + 1], reply[#reply + 2] = first and whole(first) or '', last and whole(last) or ''
end
if ARGV[4] == '' then return reply end
for _, id in ipairs(organizationsOf(ARGV[4])) do reply[#reply + 1] = id end
return reply
`,
);

/**
 * Reading of sums: `readSums` offers those of ranges of names, which begin at `first` in ARGV, each by its two ends as ZRANGEBYLEX has them, until `most` names
 * and ranges have been looked at. Of packs it offers the rows that begin with `prefix`, of those that `view` names. Gives the range to go on at and the name to go on behind, or nothing.
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

local function readSums(first, prefix, view, most)
  local looked = 0
  for index = first, #ARGV, 2 do
    local count, following = readRange(ARGV[index], ARGV[index + 1], prefix, view, most)
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
 * How often sums were packed when the reading began, how many names to look at, the organization and key that names begin with or nothing, which rows of packs, ranges. Gives the
 * range to go on at and the name to go on behind, or nothing at the end; then periods and rows. `packed` where sums were packed since: then one may have
 * been read twice, or not at all.
 */
export const READ_SUMS = script(
  ['sums', 'sum-names'],
  COMPLETE,
  READING_SUMS,
  `
if (redis.call('HGET', META, 'packings') or '0') ~= ARGV[4] then return { 'packed' } end
return readSums(8, ARGV[6], ARGV[7], tonumber(ARGV[5]))
`,
);
