/**
 * Fields of hashes in hand. A script reads and changes them here, and writes what it has changed by `saveHashes`, one command a hash. So what many operations
 * of a script need is read together and written together, and what was begun can be left without a trace.
 */
export const IN_HAND = `
-- How many words one command is given: Lua hands over some thousands at most.
local WORDS_AT_ONCE = 1000
local hashes = {}

local function leaveHash(hash) hash.texts, hash.changed, hash.isChanged = {}, {}, {} end

local function hashInHand(key)
  local hash = { key = key }
  leaveHash(hash)
  hashes[#hashes + 1] = hash
  return hash
end

local function leaveHashes()
  for _, hash in ipairs(hashes) do leaveHash(hash) end
end

-- Reads fields, of which some may be in hand.
local function fetch(hash, names)
  local missing, texts, key = {}, hash.texts, hash.key
  for _, name in ipairs(names) do
    if texts[name] == nil then texts[name], missing[#missing + 1] = false, name end
  end
  for from = 1, #missing, WORDS_AT_ONCE do
    local found = redis.call('HMGET', key, unpack(missing, from, math.min(#missing, from + WORDS_AT_ONCE - 1)))
    for place = 1, #found do texts[missing[from + place - 1]] = found[place] end
  end
end

-- The text of a field, or false.
local function textOf(hash, name)
  local text = hash.texts[name]
  if text ~= nil then return text end
  local key = hash.key
  text = redis.call('HGET', key, name)
  hash.texts[name] = text
  return text
end

local function change(hash, name, text)
  hash.texts[name] = text
  if hash.isChanged[name] then return end
  hash.isChanged[name], hash.changed[#hash.changed + 1] = true, name
end

local function saveHash(hash)
  local words, key = {}, hash.key
  for _, name in ipairs(hash.changed) do words[#words + 1], words[#words + 2] = name, hash.texts[name] end
  for from = 1, #words, WORDS_AT_ONCE do
    redis.call('HSET', key, unpack(words, from, math.min(#words, from + WORDS_AT_ONCE - 1)))
  end
end

local function saveHashes()
  for _, hash in ipairs(hashes) do saveHash(hash) end
end
`;
