/** The error where a counter has no room. */
export const COUNTING = `
local function refuseOverflow() return refuse('invalid_amount', 'amount: a counter would leave 64 bits') end
`;

/** How many numbers of entries are kept together: the latest in the book itself, the others in pieces of this many in `index`. */
export const NUMBERS_A_PIECE = 16;

/** The empty counters of an organization and of a key: see {@link ORGANIZATION_BOOK}. */
export const NO_ORGANIZATION = '0 0 - 0 0 0 ';
export const NO_KEY = '0 0 - 0 0 0 0 0 0 ';

/** Counters of organizations and of keys that a script works on: see IN_HAND. */
export const ORGANIZATION_BOOKS = `
local organizationBooks = hashInHand(ORG_COUNTERS)
`;
export const KEY_COUNTERS = `
local keyBooks = hashInHand(KEY_COUNTERS)
`;

/**
 * The counters of an organization and of a key, one text each, its parts separated by spaces: what a hold changes, which is what is held, how many open
 * holds take a place, and the rate; the other counters; how many entries of the log concern it, and the numbers of the latest of them,
 * separated by commas.
 *
 * Scripts are not undone where they fail in the middle: they change books in hand, ask whether everything still fits 64 bits, and save
 * only then. Saving one changes it in hand: see IN_HAND.
 */
export const ORGANIZATION_BOOK = `
-- Its credits stay a text: only a grant changes them.
local function organizationBook(id)
  local held, inFlight, rate, usage, credits, entries, numbers =
    string.match(textOf(organizationBooks, id) or '${NO_ORGANIZATION}', '^(%S+) (%S+) (%S+) (%S+) (%S+) (%d+) (.*)$')
  return { kind = 'org ', id = id, held = amount(held), inFlight = inFlight, rate = rate, usage = amount(usage),
    credits = credits, entries = tonumber(entries), numbers = numbers }
end

local function saveOrganization(book)
  change(organizationBooks, book.id, digits(book.held) .. ' ' .. book.inFlight .. ' ' .. book.rate .. ' ' ..
    digits(book.usage) .. ' ' .. book.credits .. ' ' .. whole(book.entries) .. ' ' .. book.numbers)
end
`;

/**
 * Beside the whole usage of a key, its latest day, counted from the Unix epoch, and how much of the usage came before that day, its week and its month: so
 * a charge within the same day changes one counter.
 */
export const KEY_BOOK = `
local function keyBook(id)
  local held, inFlight, rate, usage, latestDay, beforeDay, beforeWeek, beforeMonth, entries, numbers =
    string.match(textOf(keyBooks, id) or '${NO_KEY}',
      '^(%S+) (%S+) (%S+) (%S+) (%d+) (%S+) (%S+) (%S+) (%d+) (.*)$')
  return { kind = 'key ', id = id, held = amount(held), inFlight = inFlight, rate = rate, usage = amount(usage),
    latestDay = latestDay, beforeDay = beforeDay, beforeWeek = beforeWeek, beforeMonth = beforeMonth,
    entries = tonumber(entries), numbers = numbers }
end

local function saveKey(book)
  change(keyBooks, book.id, digits(book.held) .. ' ' .. book.inFlight .. ' ' .. book.rate .. ' ' ..
    digits(book.usage) .. ' ' .. book.latestDay .. ' ' .. book.beforeDay .. ' ' .. book.beforeWeek .. ' ' ..
    book.beforeMonth .. ' ' .. whole(book.entries) .. ' ' .. book.numbers)
end
`;

/** Writes the number of an entry down in a book it concerns. */
export const LISTING = `
local numberPieces = hashInHand(INDEX)

local function listEntry(book, number)
  book.entries = book.entries + 1
  book.numbers = book.numbers == '' and number or book.numbers .. ',' .. number
  if book.entries % ${NUMBERS_A_PIECE} == 0 then
    change(numberPieces, book.kind .. book.id .. ' ' .. whole(book.entries / ${NUMBERS_A_PIECE} - 1), book.numbers)
    book.numbers = ''
  end
end
`;

/** What is charged. */
export const SPENDING = `
-- Windows only move forward.
local function enterDay(key, before)
  local windowStart = calendar()
  local latest = key.latestDay * DAY
  key.beforeDay = before
  if windowStart('weekly', now) > latest then key.beforeWeek = before end
  if windowStart('monthly', now) > latest then key.beforeMonth = before end
  key.latestDay = whole((now - now % DAY) / DAY)
end

local function useKey(key, cost)
  if now - key.latestDay * DAY >= DAY then enterDay(key, digits(key.usage)) end
  key.usage = key.usage + cost
end

local function fitsSince(key, before)
  return #before <= PLAIN_DIGITS and type(key.usage) == 'number' or fits(key.usage - amount(before))
end

-- Without a key where there is none. Gives whether everything fits.
local function spend(organization, key, budgets, cost)
  organization.usage = organization.usage + cost
  local isFit = fits(organization.held) and fits(organization.usage)
  for place = key and 0 or 1, #budgets do
    local book = budgets[place] or key
    useKey(book, cost)
    isFit = isFit and fits(book.held) and fits(book.usage) and fitsSince(book, book.beforeDay) and
      fitsSince(book, book.beforeWeek) and fitsSince(book, book.beforeMonth)
  end
  return isFit
end
`;

/** What a key has used in the present window of a reset, by the text of its book. */
export const WINDOW_USAGE = `
local function windowUsage(book, reset)
  local places = { daily = '(%S+)', weekly = '%S+ (%S+)', monthly = '%S+ %S+ (%S+)' }
  local usage, latestDay, before = string.match(book, '^%S+ %S+ %S+ (%S+) (%d+) ' .. places[reset])
  local windowStart = calendar()
  if latestDay * DAY < windowStart(reset, now) then return 0 end
  return amount(usage) - amount(before)
end
`;

/** When the present window of a reset ends, or nothing. The latest window stays the present one where the clock has been set back. */
export const RESETS_AT = `
local function resetsAt(book, reset)
  if reset == '' then return '' end
  local _, windowEnd = calendar()
  return whole(windowEnd(reset, math.max(now, string.match(book, '^%S+ %S+ %S+ %S+ (%d+)') * DAY)))
end
`;
