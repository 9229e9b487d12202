import { NO_KEY, NO_ORGANIZATION } from './books.js';

/** The limits of most requests: they take a place, and there is nothing to decide. */
const NO_LIMITS = '1 - - - -';

/** Reads both books of a request, by `organizationId` and `keyId`. What follows is given `limitsText`, too. */
export const ASKED_BOOKS = `
local organizationText = textOf(organizationBooks, organizationId) or '${NO_ORGANIZATION}'
local keyText = textOf(keyBooks, keyId) or '${NO_KEY}'
local heldText, inFlight, rate, restOfOrganization, usageText, creditsText =
  string.match(organizationText, '^(%S+) (%S+) (%S+) ((%S+) (%S+).*)$')
local keyHeldText, keyInFlight, keyRate, restOfKey, keyUsageText =
  string.match(keyText, '^(%S+) (%S+) (%S+) ((%S+).*)$')
`;

/** What the limits of a request say, and the words of rates. */
export const RATES = `
-- Many requests have the same limits.
local knownLimits = {}
local function readLimits(text)
  if knownLimits[text] then return knownLimits[text] end
  local place, keyMost, most, keyRequests, keySeconds, requests, seconds =
    string.match(text, '^(%d) (%S+) (%S+) ([^/ ]+)/?(%d*) ([^/ ]+)/?(%d*)$')
  local limits = { place = tonumber(place), keyMost = tonumber(keyMost), most = tonumber(most), keyRequests = tonumber(keyRequests),
    keySeconds = tonumber(keySeconds), requests = tonumber(requests), seconds = tonumber(seconds) }
  knownLimits[text] = limits
  return limits
end

-- How much is used now, and whether it was counted at a time that is not yet: the clock was set back.
local function usedOf(rateWord, requests, seconds)
  if rateWord == '-' then return 0 end
  local used, at, drainsAt = string.match(rateWord, '^([^@]+)@(%d+)@(%d+)$')
  if tonumber(drainsAt) <= now then return 0 end
  if tonumber(at) > now then return tonumber(used), true end
  return math.max(0, used - (now - at) * requests / (seconds * 1000))
end

local function rateWord(used, requests, seconds)
  local text = used % 1 == 0 and whole(used) or string.format('%.17g', used)
  return text .. '@' .. nowText .. '@' .. whole(now + math.ceil(used * seconds * 1000 / requests))
end

-- Of the key and of the organization; empty where there is no limit.
local function rateWords(limits, keyUsed, used)
  return keyUsed and rateWord(keyUsed, limits.keyRequests, limits.keySeconds) or '',
    used and rateWord(used, limits.requests, limits.seconds) or ''
end

local function saveRate(books, id, word)
  local front, rest = string.match(textOf(books, id) or books.empty, '^(%S+ %S+ )%S+(.*)$')
  change(books, id, front .. word .. rest)
end
`;

/**
 * Whether a request may come in: what core's `decideAdmission`, `rateUsedAt` and `fitsRate` say, in the same order of operations, so that all ledgers agree
 * to the last bit. Where there is a limit, `limited` is true, and `refuser` is who refuses, or nothing.
 *
 * A rate is a word of a book: `-`, or how much is used, when that was, and when it will have drained, with `@` between. `keyWord` and `word` are those to
 * give and to save, empty where there is no limit: `countRates` makes them.
 */
export const ADMISSION = `
local limited, place, keyWord, word = limitsText ~= '${NO_LIMITS}', 1, '', ''
local limits, refuser, keyUsed, keyIsAhead, used, isAhead

if limited then
  limits = readLimits(limitsText)
  place = limits.place
  if limits.keyRequests then keyUsed, keyIsAhead = usedOf(keyRate, limits.keyRequests, limits.keySeconds) end
  if limits.requests then used, isAhead = usedOf(rate, limits.requests, limits.seconds) end
  if place == 1 and limits.keyMost and tonumber(keyInFlight) >= limits.keyMost then refuser = 'key_concurrency'
  elseif place == 1 and limits.most and tonumber(inFlight) >= limits.most then refuser = 'organization_concurrency'
  elseif keyUsed and keyUsed + 1 > limits.keyRequests + 1e-6 then refuser = 'key_rate'
  elseif used and used + 1 > limits.requests + 1e-6 then refuser = 'organization_rate' end
end

-- A refused request changes nothing. But where the clock was set back, what is used has to drain from the present on.
local function drainRatesFromNow()
  keyWord, word = rateWords(limits, keyUsed, used)
  if keyIsAhead then saveRate(keyBooks, keyId, keyWord) end
  if isAhead then saveRate(organizationBooks, organizationId, word) end
end
`;
