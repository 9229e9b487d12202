import { NUMBERS_A_PIECE } from '../lua/books.js';
import { script } from '../lua/opening.js';

/**
 * How many texts an entry is in a reply: kind, id, organization, key with the ids of budgets behind it, each after a space, amount, time, stamp, model and
 * tag, provider, detail.
 */
export const ENTRY_FIELDS = 10;

/** Entries by their numbers, as flat texts in the order of ENTRY_FIELDS. */
export const READING = `
local function flatten(reply, fields)
  for index = 2, #fields, 2 do reply[#reply + 1] = fields[index] end
end

local function fieldsOf(number)
  return redis.call('XRANGE', LOG, whole(number) .. '-0', whole(number) .. '-0')[1][2]
end

-- Where an entry was removed, that of the next one: stamps only rise.
local function stampOf(number)
  local found = redis.call('XRANGE', LOG, whole(number) .. '-0', '+', 'COUNT', '1')[1]
  if not found then return stamp end
  local fields = found[2]
  return tonumber(fields[14] ~= '' and fields[14] or fields[12])
end

-- The first number from first to last that is not below; last + 1 where all are.
local function lowerBound(first, last, isBelow)
  while first <= last do
    local middle = math.floor((first + last) / 2)
    if isBelow(middle) then first = middle + 1 else last = middle - 1 end
  end
  return first
end
`;

/**
 * The numbers of the entries that concern an organization (`org`) or a key (`key`): how many there are, and the one at an index from 0 on. First come those of
 * entries that stayed in the part of the log which was removed: see `REMOVE`.
 */
const LISTED = `
local function listOf(kind, id)
  local books = kind == 'key' and KEY_COUNTERS or ORG_COUNTERS
  local size, latest = string.match(redis.call('HGET', books, id) or ' 0 ', ' (%d+) ([%d,]*)$')
  local passed, kept = string.match(redis.call('HGET', INDEX, kind .. ' ' .. id .. ' kept') or '0 ', '^(%d+) (.*)$')
  local pieces, stayed = {}, {}
  for number in string.gmatch(kept, '%d+') do stayed[#stayed + 1] = tonumber(number) end

  local function pieceAt(place)
    local piece = pieces[place]
    if piece then return piece end
    piece = {}
    local full = (place + 1) * ${NUMBERS_A_PIECE} <= tonumber(size)
    local text = full and redis.call('HGET', INDEX, kind .. ' ' .. id .. ' ' .. whole(place)) or latest
    for number in string.gmatch(text, '%d+') do piece[#piece + 1] = tonumber(number) end
    pieces[place] = piece
    return piece
  end

  return tonumber(size) - passed + #stayed, function(index)
    if index < #stayed then return stayed[index + 1] end
    index = index - #stayed + passed
    return pieceAt(math.floor(index / ${NUMBERS_A_PIECE}))[index % ${NUMBERS_A_PIECE} + 1]
  end
end
`;

/**
 * Organization, key, from, to (each or nothing), the number to begin at, how many entries to look at. Gives the number to go on at, or nothing at
 * the end, then for each match its number and its fields. Looks at a bounded number of entries, since all other clients wait for that time.
 */
export const ENTRIES = script(['log', 'index', 'org-counters', 'key-counters'])`${READING}${LISTED}
local organizationId, keyId, fromMs, toMs, cursor, most = unpack(ARGV, 4)
local from, to = tonumber(fromMs), tonumber(toMs)
local first, last, scanned = tonumber(cursor), entries, tonumber(most)
if first > last and first > 1 then return refuse('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this ledger') end
if from then
  first = math.max(first, lowerBound(1, last, function(number) return stampOf(number) < from end))
end
if to then
  last = lowerBound(1, last, function(number) return stampOf(number) < to + behind end) - 1
end

local reply = { '' }
local function offer(number, fields)
  local atMs = tonumber(fields[12])
  if organizationId ~= '' and fields[6] ~= organizationId then return end
  if keyId ~= '' and string.match(fields[8], '^%S*') ~= keyId then return end
  if (from and atMs < from) or (to and atMs >= to) then return end
  reply[#reply + 1] = whole(number)
  flatten(reply, fields)
end

local function offerAll()
  local found = redis.call('XRANGE', LOG, whole(first) .. '-0', whole(last) .. '-0', 'COUNT', whole(scanned))
  local number
  for _, entry in ipairs(found) do
    number = tonumber(string.match(entry[1], '^%d+'))
    offer(number, entry[2])
  end
  if #found == scanned and number < last then reply[1] = whole(number + 1) end
end

-- The list of a key is the shorter one.
local function offerListed(kind, id)
  local size, numberAt = listOf(kind, id)
  local start = lowerBound(0, size - 1, function(index) return numberAt(index) < first end)
  for index = start, math.min(start + scanned, size) - 1 do
    local number = numberAt(index)
    if number > last then return end
    offer(number, fieldsOf(number))
  end
  if start + scanned < size then reply[1] = whole(numberAt(start + scanned)) end
end

if first > last then return reply end
if keyId ~= '' then offerListed('key', keyId)
elseif organizationId ~= '' then offerListed('org', organizationId)
else offerAll() end
return reply
`;
