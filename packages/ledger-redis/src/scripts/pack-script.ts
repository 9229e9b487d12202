import { AMOUNTS } from '../lua/amounts.js';
import { CALENDAR } from '../lua/calendar.js';
import { script } from '../lua/opening.js';
import { BY_KEY, BY_MODEL } from './usage-scripts.js';

/** How many sums are packed together. */
const SUMS_A_PACK = 64;
/** In one script: some three milliseconds in which Redis serves no one else. */
const PACKS_AT_ONCE = 4;

/** Adding up sums: lists of amounts, by name and in order. */
const ADDING = `
local function addTo(totals, name, text)
  local total = totals[name]
  if not total then
    total, totals[#totals + 1] = {}, name
    totals[name] = total
  end
  local figure = 0
  for word in string.gmatch(text, '%S+') do
    figure = figure + 1
    total[figure] = (total[figure] or 0) + amount(word)
  end
end

local function textOf(total)
  local texts = {}
  for figure = 1, #total do texts[figure] = digits(total[figure]) end
  return table.concat(texts, ' ')
end

-- Adds totals to the sums of these names.
local function addToSums(totals)
  for place, text in ipairs(redis.call('HMGET', SUMS, unpack(totals))) do
    if text then addTo(totals, totals[place], text) else redis.call('ZADD', SUM_NAMES, '0', totals[place]) end
  end
  for _, name in ipairs(totals) do redis.call('HSET', SUMS, name, textOf(totals[name])) end
end
`;

/**
 * Packs some sums of days and months that are over. They hardly change any more, are read three times as fast or more, and take a third of the memory. A pack holds the
 * rows of consecutive names of one period; it is a field of `sums` as well, and has the name of its first row with a capital letter. Two more fields have the
 * same rows added up by organization and key (its name, a tab, `k`), and by organization, model and tag (`m`), where these are at most half as many.
 *
 * Sums of days are also added to those by month and by organization. Each level is packed once from its beginning on, days first. What comes in later for a
 * day that was packed, since the clock was set back, stays what it is and is added when read. Gives `more` or `done`.
 */
export const PACK = script(['sums', 'sum-names'])`${AMOUNTS}${CALENDAR}${ADDING}
local today = math.floor(now / DAY)
local _, _, monthOf = calendar()

-- The next names of one period.
local function namesToPack(letter, present)
  local marker = redis.call('HGET', META, 'packed ' .. letter) or letter
  local found = redis.call('ZRANGEBYLEX', SUM_NAMES, '(' .. marker, '(' .. string.format('%s%07.0f', letter, present), 'LIMIT', '0',
    '${SUMS_A_PACK}')
  local names = {}
  for place, name in ipairs(found) do
    if string.sub(name, 1, 9) ~= string.sub(found[1], 1, 9) then break end
    names[place] = name
  end
  return names
end

local function rowsOf(names, texts, nameOf)
  local totals, rows = {}, {}
  for place, text in ipairs(texts) do addTo(totals, nameOf(string.sub(names[place], 10)), text) end
  for place, name in ipairs(totals) do rows[place] = '\\n' .. name .. '\\t' .. textOf(totals[name]) end
  return table.concat(rows), #rows
end

local VIEWS = {
  ${BY_KEY} = function(name) return string.match(name, '^%S* %S* ') .. '\\t' end,
  ${BY_MODEL} = function(name) return (string.gsub(string.match(name, '^[^\\1]*'), '^(%S*) %S* ', '%1  ')) end
}

local function addDays(names, texts)
  local day, totals = tonumber(string.sub(names[1], 2, 8)), {}
  local month, ofOrganization = string.format('m%07.0f ', (monthOf(day))), string.format('o%07.0f ', day)
  for place, text in ipairs(texts) do
    local name = string.sub(names[place], 10)
    addTo(totals, month .. name, text)
    addTo(totals, ofOrganization .. string.match(name, '^%S*') .. '  \\t', text)
  end
  addToSums(totals)
end

local function pack(letter, present)
  local names = namesToPack(letter, present)
  if #names == 0 then return false end
  local texts = redis.call('HMGET', SUMS, unpack(names))
  local packName = string.upper(letter) .. string.sub(names[1], 2)
  redis.call('HSET', META, 'packed ' .. letter, names[#names])
  redis.call('HSET', SUMS, packName, (rowsOf(names, texts, function(name) return name end)))
  for view, nameOf in pairs(VIEWS) do
    local rows, count = rowsOf(names, texts, nameOf)
    if count <= #names / 2 then redis.call('HSET', SUMS, packName .. '\\t' .. view, rows) end
  end
  if letter == 'd' then addDays(names, texts) end
  redis.call('ZADD', SUM_NAMES, '0', packName)
  redis.call('HDEL', SUMS, unpack(names))
  redis.call('ZREM', SUM_NAMES, unpack(names))
  return true
end

local packs = 0
for _, level in ipairs({ { 'd', today }, { 'o', today }, { 'm', (monthOf(today)) } }) do
  while packs < ${PACKS_AT_ONCE} and pack(unpack(level)) do packs = packs + 1 end
end
if packs > 0 then redis.call('HINCRBY', META, 'rollups', '1') end
return { packs == ${PACKS_AT_ONCE} and 'more' or 'done' }
`;
