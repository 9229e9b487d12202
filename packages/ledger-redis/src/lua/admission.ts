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

/** What the limits of a request say, and the words of rates: made when the first limit comes up. */
export const RATES = `
local readLimits, usedOf, wordsOf, saveRate

local function makeRates()
  -- Many requests have the same limits.
  local knownLimits = {}
  local function readRate(text)
    local requests, periodMs = string.match(text, '^(%d+)/(%d+)$')
    return requests and { requests = tonumber(requests), periodMs = tonumber(periodMs) }
  end

  function readLimits(text)
    if knownLimits[text] then return knownLimits[text] end
    local place, keyMost, most, keyRate, rate = string.match(text, '^(%d) (%S+) (%S+) (%S+) (%S+)$')
    local limits = { place = tonumber(place), keyMost = tonumber(keyMost), most = tonumber(most), keyRate = readRate(keyRate),
      rate = readRate(rate) }
    knownLimits[text] = limits
    return limits
  end

  -- How much is used now, and whether it was counted at a time that is not yet: the clock was set back.
  function usedOf(word, limit)
    if word == '-' then return 0 end
    local used, at, drainsAt = string.match(word, '^([^@]+)@(%d+)@(%d+)$')
    if tonumber(drainsAt) <= now then return 0 end
    if tonumber(at) > now then return tonumber(used), true end
    return math.max(0, used - (now - at) * limit.requests / limit.periodMs)
  end

  -- All 17 digits of a double take their time, and most are whole numbers.
  local function wordOf(used, limit)
    local text = used % 1 == 0 and whole(used) or string.format('%.17g', used)
    return text .. '@' .. nowText .. '@' .. whole(now + math.ceil(used * limit.periodMs / limit.requests))
  end

  -- Of the key and of the organization, of which so much is used; empty where there is no limit.
  function wordsOf(limits, keyUsed, used)
    return keyUsed and wordOf(keyUsed, limits.keyRate) or '', used and wordOf(used, limits.rate) or ''
  end

  function saveRate(books, id, text, word)
    local front, rest = string.match(text, '^(%S+ %S+ )%S+(.*)$')
    change(books, id, front .. word .. rest)
  end
end
`;

/**
 * Whether a request may come in: what core's `decideAdmission`, `rateUsedAt` and `fitsRate` say, in the same order of operations, so that all ledgers agree
 * to the last bit. Where there is a limit, `limited` is true, and `refuser` is who refuses, or nothing.
 *
 * A rate is a word of a book: `-`, or how much is used, when that was, and when it will have drained, with `@` between. `keyWord` and `word` are those to
 * give and to save, empty where there is no limit.
 */
export const ADMISSION = `
local limited, place, keyWord, word = limitsText ~= '${NO_LIMITS}', 1, '', ''
local limits, refuser, keyUsed, keyIsAhead, used, isAhead

if limited then
  if not readLimits then makeRates() end
  limits = readLimits(limitsText)
  place = limits.place
  if limits.keyRate then keyUsed, keyIsAhead = usedOf(keyRate, limits.keyRate) end
  if limits.rate then used, isAhead = usedOf(rate, limits.rate) end
  if place == 1 and limits.keyMost and tonumber(keyInFlight) >= limits.keyMost then refuser = 'key_concurrency'
  elseif place == 1 and limits.most and tonumber(inFlight) >= limits.most then refuser = 'organization_concurrency'
  elseif keyUsed and keyUsed + 1 > limits.keyRate.requests + 1e-6 then refuser = 'key_rate'
  elseif used and used + 1 > limits.rate.requests + 1e-6 then refuser = 'organization_rate' end
end

-- A refused request changes nothing. But where the clock was set back, what is used has to drain from the present on.
local function drainRatesFromNow()
  keyWord, word = wordsOf(limits, keyUsed, used)
  if keyIsAhead then saveRate(keyBooks, keyId, keyText, keyWord) end
  if isAhead then saveRate(organizationBooks, organizationId, organizationText, word) end
end
`;
