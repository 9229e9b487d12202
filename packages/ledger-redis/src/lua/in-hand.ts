/**
 * Fields of hashes in hand. A script reads and changes them here, and writes what it has changed by `saveHashes`, one command a hash. So what many operations
 * of a script need is written together, and what was begun can be left without a trace.
 */
export const IN_HAND = `
-- How many words one command is given: Lua hands over some thousands at most.
local WORDS_AT_ONCE = 1000
local hashes = {}

-- Its fields by name, and the words of HSET for those that were changed. The last text of a name is the one that counts.
local function hashInHand(key)
  local hash = { key = key, texts = {}, words = {} }
  hashes[#hashes + 1] = hash
  return hash
end

local function leaveHashes()
  for place = 1, #hashes do hashes[place].texts, hashes[place].words = {}, {} end
end

-- Reads fields of which none was changed. A lone one is read when it is asked for.
local function fetch(hash, names)
  if #names < 2 then return end
  local key, texts = hash.key, hash.texts
  local found = redis.call('HMGET', key, unpack(names))
  for place = 1, #names do texts[names[place]] = found[place] end
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
  local words = hash.words
  local count = #words
  hash.texts[name], words[count + 1], words[count + 2] = text, name, text
end

local function saveHashes()
  for place = 1, #hashes do
    local key, words = hashes[place].key, hashes[place].words
    for from = 1, #words, WORDS_AT_ONCE do
      redis.call('HSET', key, unpack(words, from, math.min(#words, from + WORDS_AT_ONCE - 1)))
    end
  end
end
`;
