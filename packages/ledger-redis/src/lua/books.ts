/** What is told where a counter has no room. */
export const COUNTING = `
local function refuseOverflow() return refuse('invalid_amount', 'amount: a counter would leave 64 bits') end

-- Remembers an organisation (kind org) or a key that has counters for the first time, so that an audit finds it. Every one has \`held\`.
local function know(kind, id, held)
  if not held then redis.call('SADD', base .. kind .. 's', id) end
end
`;

/**
 * The counters of an organisation and a key that are charged. Scripts are not undone where they fail in the middle: they change books in
 * hand, ask whether everything still fits 64 bits, and save only then.
 */
export const SPENDING = `
local function organizationBook(id)
  local found = redis.call('HMGET', base .. 'org:' .. id, 'held', 'usage')
  return { id = id, known = found[1], held = amount(found[1]), usage = amount(found[2]) }
end

local function saveOrganization(book)
  know('org', book.id, book.known)
  redis.call('HSET', base .. 'org:' .. book.id, 'held', digits(book.held), 'usage', digits(book.usage))
end

-- Beside its whole usage, that of its latest day, week and month, and when each began.
local function keyBook(id)
  local found = redis.call('HMGET', base .. 'key:' .. id, 'held', 'usage',
    'daily', 'weekly', 'monthly', 'dailyAt', 'weeklyAt', 'monthlyAt')
  return { id = id, known = found[1], held = amount(found[1]), usage = amount(found[2]),
    daily = amount(found[3]), weekly = amount(found[4]), monthly = amount(found[5]),
    dailyAt = found[6] or '0', weeklyAt = found[7] or '0', monthlyAt = found[8] or '0' }
end

-- Windows only move forward.
local function enterWindow(key, reset)
  local start = windowStart(reset, now)
  if start > tonumber(key[reset .. 'At']) then key[reset], key[reset .. 'At'] = 0, whole(start) end
end

local function useKey(key, cost)
  -- While the day is the same, so are the week and the month.
  if now - tonumber(key.dailyAt) >= DAY then
    enterWindow(key, 'daily')
    enterWindow(key, 'weekly')
    enterWindow(key, 'monthly')
  end
  key.usage = key.usage + cost
  key.daily = key.daily + cost
  key.weekly = key.weekly + cost
  key.monthly = key.monthly + cost
end

local function saveKey(book)
  know('key', book.id, book.known)
  redis.call('HSET', base .. 'key:' .. book.id, 'held', digits(book.held), 'usage', digits(book.usage),
    'daily', digits(book.daily), 'weekly', digits(book.weekly), 'monthly', digits(book.monthly),
    'dailyAt', book.dailyAt, 'weeklyAt', book.weeklyAt, 'monthlyAt', book.monthlyAt)
end

local function bothFit(organization, key)
  return fits(organization.held) and fits(organization.usage) and fits(key.held) and fits(key.usage)
    and fits(key.daily) and fits(key.weekly) and fits(key.monthly)
end
`;

/** What a key has used of a limit: in the present window of its reset, or ever. */
export const LIMIT_USAGE = `
local function limitUsage(keyId, reset)
  if reset == '' then
    local found = redis.call('HMGET', base .. 'key:' .. keyId, 'held', 'usage')
    return amount(found[2]), found[1]
  end
  local found = redis.call('HMGET', base .. 'key:' .. keyId, 'held', reset, reset .. 'At')
  if tonumber(found[3] or '0') < windowStart(reset, now) then return 0, found[1] end
  return amount(found[2]), found[1]
end
`;
