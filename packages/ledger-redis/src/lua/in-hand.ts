/**
 * Fields of hashes in hand. A script reads and changes them here, and writes what it has changed by `saveHashes`, one command a hash. So what many operations
 * of a script need is written together, and what was begun can be left without a trace.
 */
export const IN_HAND = `
-- How many words one command is given: Lua hands over some thousands at most.
local WORDS_AT_ONCE = 1000
local hashes = {}

-- At 1 its key, at 2 the words of HSET for what was changed, of which the last text of a name counts. Else texts by their names.
local function hashInHand(key)
  local hash = { key, {} }
  hashes[#hashes + 1] = hash
  return hash
end

-- The text of a field, or false.
local function textOf(hash, name)
  local text, key = hash[name], hash[1]
  if text ~= nil then return text end
  text = redis.call('HGET', key, name)
  hash[name] = text
  return text
end

local function change(hash, name, text)
  local words = hash[2]
  local count = #words
  hash[name], words[count + 1], words[count + 2] = text, name, text
end

local function saveHashes()
  for place = 1, #hashes do
    local key, words = unpack(hashes[place], 1, 2)
    for from = 1, #words, WORDS_AT_ONCE do
      redis.call('HSET', key, unpack(words, from, math.min(#words, from + WORDS_AT_ONCE - 1)))
    end
  end
end
`;

/** … for many operations at once. */
export const MANY_IN_HAND = `
local function leaveHashes()
  for place = 1, #hashes do
    local hash = hashes[place]
    for name in pairs(hash) do
      if type(name) == 'string' then hash[name] = nil end
    end
    hash[2] = {}
  end
end

-- Reads fields of which none was changed.
local function fetch(hash, names)
  if #names == 0 then return end
  local key = hash[1]
  local found = redis.call('HMGET', key, unpack(names))
  for place = 1, #names do hash[names[place]] = found[place] end
end
`;
