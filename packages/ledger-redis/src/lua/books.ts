/** The error where a counter has no room. */
export const COUNTING = `
local function refuseOverflow() return refuse('invalid_amount', 'amount: a counter would leave 64 bits') end
`;

/** The empty counters of an organization and of a key: see {@link ORGANIZATION_BOOK}. */
export const NO_ORGANIZATION = '0 0 0 0 ';
export const NO_KEY = '0 0 0 0 0 0 0 0 0 ';

/** How many numbers of entries are kept together: the latest in the book itself, the others in pieces of this many in `index`. */
export const NUMBERS_A_PIECE = 16;

/**
 * The counters of an organization and of a key, one text each, its parts separated by spaces: what is held and the other counters, how many entries
 * of the log concern it, and the numbers of the latest of them, separated by commas.
 *
 * Scripts are not undone where they fail in the middle: they change books in hand, ask whether everything still fits 64 bits, and save
 * only then.
 */
export const ORGANIZATION_BOOK = `
-- Its credits stay a text: only a grant changes them.
local function organizationBook(id)
  local held, usage, credits, entries, numbers =
    string.match(redis.call('HGET', ORG_BOOKS, id) or '${NO_ORGANIZATION}', '^(%S+) (%S+) (%S+) (%d+) (.*)$')
  return { kind = 'org ', id = id, held = amount(held), usage = amount(usage), credits = credits,
    entries = tonumber(entries), numbers = numbers }
end

local function saveOrganization(book)
  redis.call('HSET', ORG_BOOKS, book.id, table.concat({ digits(book.held), digits(book.usage), book.credits,
    whole(book.entries), book.numbers }, ' '))
end
`;

/** Beside the whole usage of a key, that of its latest day, week and month, and when each began. */
export const KEY_BOOK = `
local function keyBook(id)
  local held, usage, daily, weekly, monthly, dailyAt, weeklyAt, monthlyAt, entries, numbers =
    string.match(redis.call('HGET', KEY_BOOKS, id) or '${NO_KEY}',
      '^(%S+) (%S+) (%S+) (%S+) (%S+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  return { kind = 'key ', id = id, held = amount(held), usage = amount(usage),
    daily = amount(daily), weekly = amount(weekly), monthly = amount(monthly),
    dailyAt = dailyAt, weeklyAt = weeklyAt, monthlyAt = monthlyAt, entries = tonumber(entries), numbers = numbers }
end

local function saveKey(book)
  redis.call('HSET', KEY_BOOKS, book.id, table.concat({ digits(book.held), digits(book.usage),
    digits(book.daily), digits(book.weekly), digits(book.monthly), book.dailyAt, book.weeklyAt, book.monthlyAt,
    whole(book.entries), book.numbers }, ' '))
end
`;

/** Writes the number of an entry down in a book it concerns. */
export const LISTING = `
local function listEntry(book, number)
  book.entries = book.entries + 1
  book.numbers = book.numbers == '' and number or book.numbers .. ',' .. number
  if book.entries % ${NUMBERS_A_PIECE} == 0 then
    redis.call('HSET', INDEX, book.kind .. book.id .. ' ' .. whole(book.entries / ${NUMBERS_A_PIECE} - 1), book.numbers)
    book.numbers = ''
  end
end
`;

/** What is charged. */
export const SPENDING = `
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

-- Without a key where there is none.
local function bothFit(organization, key)
  return fits(organization.held) and fits(organization.usage) and (not key or (fits(key.held) and fits(key.usage)
    and fits(key.daily) and fits(key.weekly) and fits(key.monthly)))
end
`;

/** What a key has used of a limit: in the present window of its reset, or ever. Of the text of its book, or nothing. */
export const LIMIT_USAGE = `
local WINDOWS = {
  daily = '^%S+ %S+ (%S+) %S+ %S+ (%d+)',
  weekly = '^%S+ %S+ %S+ (%S+) %S+ %d+ (%d+)',
  monthly = '^%S+ %S+ %S+ %S+ (%S+) %d+ %d+ (%d+)'
}

local function limitUsage(book, reset)
  if not book then return 0 end
  if reset == '' then return amount(string.match(book, '^%S+ (%S+)')) end
  local usage, startsAt = string.match(book, WINDOWS[reset])
  if tonumber(startsAt) < windowStart(reset, now) then return 0 end
  return amount(usage)
end
`;
