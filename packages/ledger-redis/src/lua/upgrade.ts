/** The version before the one before, and what the keys say while it is brought up to date: then they are neither read nor changed by anyone. */
export const UPGRADED_VERSION = '2';
export const UPGRADING = '2, which is being migrated to 3';

/**
 * From version 2 to 3: every book gets how many open holds take a place, and the word of a rate, behind what is held; and that of a key says how much
 * came before its latest windows instead of how much came in them. Other clients are served between the
 * steps, each of which does a bounded part and notes in META where the next one begins: first all books get their words, then open holds are counted.
 */
export const UPGRADE = `
local AT_ONCE = 500
local function upgradedOrganization(text) return (string.gsub(text, ' ', ' 0 - ', 1)) end

local function upgradedKey(text)
  local held, usage, daily, weekly, monthly, dailyAt, rest =
    string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%d+) %d+ %d+ (.*)$')
  local function before(used) return digits(amount(usage) - amount(used)) end
  return table.concat({ held, '0', '-', usage, whole(dailyAt / 86400000), before(daily), before(weekly), before(monthly),
    rest }, ' ')
end

local function upgradeBooks(books, cursor, upgraded)
  local found = redis.call('HSCAN', books, cursor, 'COUNT', whole(AT_ONCE))
  for index = 1, #found[2], 2 do
    local id, text = found[2][index], found[2][index + 1]
    -- A scan may give a field twice.
    if text ~= '' and not string.match(text, '^%S+ %S+ %- ') then redis.call('HSET', books, id, upgraded(text)) end
  end
  return found[1] ~= '0' and found[1]
end

local function addPlace(books, id)
  local held, inFlight, rest = string.match(redis.call('HGET', books, id), '^(%S+) (%d+) (.*)$')
  redis.call('HSET', books, id, held .. ' ' .. whole(inFlight + 1) .. ' ' .. rest)
end

local function countPlaces(first)
  local ids = redis.call('ZRANGE', OPEN, first, whole(first + AT_ONCE - 1))
  for _, id in ipairs(ids) do
    local organizationId, keyId = string.match(redis.call('HGET', HOLDS, id) or '', '^open %S+ %S+ (%S+) (%S+) ')
    if organizationId then
      addPlace(ORG_BOOKS, organizationId)
      addPlace(KEY_BOOKS, keyId)
    end
  end
  return #ids == AT_ONCE and whole(first + AT_ONCE)
end

local STEPS = {
  organizations = { run = function(from) return upgradeBooks(ORG_BOOKS, from, upgradedOrganization) end, following = 'keys' },
  keys = { run = function(from) return upgradeBooks(KEY_BOOKS, from, upgradedKey) end, following = 'places' },
  places = { run = countPlaces }
}

-- Whether that was the last step.
local function upgrade()
  local name, from = string.match(redis.call('HGET', META, 'upgrade') or 'organizations 0', '^(%S+) (%d+)$')
  local step = STEPS[name]
  local following = step.run(from)
  if not following then name, following = step.following, '0' end
  if not name then
    redis.call('HDEL', META, 'upgrade')
    return true
  end
  redis.call('HSET', META, 'upgrade', name .. ' ' .. following)
end
`;
