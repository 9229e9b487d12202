/**
 * The counters of organisations and keys. Scripts are not undone where they fail in the middle: they change books in hand, ask whether
 * everything still fits 64 bits, and write only then.
 */
export const BOOKS = `
local function organizationBook(id)
  local found = redis.call('HMGET', base .. 'org:' .. id, 'held', 'credits', 'usage')
  return { id = id, known = found[1], held = amount(found[1]), credits = amount(found[2]), usage = amount(found[3]) }
end

-- Of each window the usage, and when it began.
local function keyBook(id)
  local found = redis.call('HMGET', base .. 'key:' .. id, 'held', 'usage',
    'daily', 'dailyAt', 'weekly', 'weeklyAt', 'monthly', 'monthlyAt')
  local book = { id = id, known = found[1], held = amount(found[1]), usage = amount(found[2]), windows = {} }
  for index, reset in ipairs(RESETS) do
    book.windows[reset] = { usage = amount(found[2 * index + 1]), at = tonumber(found[2 * index + 2] or '0') }
  end
  return book
end

-- Windows only move forward. While the day is the same, so are the week and the month.
local function useKey(key, cost)
  key.usage = key.usage + cost
  local newDay = windowStart('daily', now) > key.windows.daily.at
  for _, reset in ipairs(RESETS) do
    local window = key.windows[reset]
    local start = newDay and windowStart(reset, now) or 0
    if start > window.at then window.at, window.usage = start, amount() end
    window.usage = window.usage + cost
  end
end

local function usageInWindow(key, reset)
  if reset == '' then return key.usage end
  local window = key.windows[reset]
  if window.at >= windowStart(reset, now) then return window.usage end
  return amount()
end

local function organizationFits(book) return fits(book.held) and fits(book.credits) and fits(book.usage) end

local function keyFits(book)
  for _, window in pairs(book.windows) do
    if not fits(window.usage) then return false end
  end
  return fits(book.held) and fits(book.usage)
end

local function saveHeld(kind, book)
  if not book.known then redis.call('SADD', base .. kind .. 's', book.id) end
  redis.call('HSET', base .. kind .. ':' .. book.id, 'held', tostring(book.held))
end

local function saveOrganization(book)
  if not book.known then redis.call('SADD', base .. 'orgs', book.id) end
  redis.call('HSET', base .. 'org:' .. book.id, 'held', tostring(book.held), 'credits', tostring(book.credits),
    'usage', tostring(book.usage))
end

local function saveKey(book)
  if not book.known then redis.call('SADD', base .. 'keys', book.id) end
  local day, week, month = book.windows.daily, book.windows.weekly, book.windows.monthly
  redis.call('HSET', base .. 'key:' .. book.id, 'held', tostring(book.held), 'usage', tostring(book.usage),
    'daily', tostring(day.usage), 'dailyAt', whole(day.at), 'weekly', tostring(week.usage), 'weeklyAt', whole(week.at),
    'monthly', tostring(month.usage), 'monthlyAt', whole(month.at))
end

local function refuseOverflow() return refuse('invalid_amount', 'amount: a counter would leave 64 bits') end
`;
