import { NO_KEY, NO_ORGANIZATION } from './books.js';

/** The limits of most requests: they take a place, and there is nothing to decide. */
const NO_LIMITS = '1 - - - -';

/** Reads both books of a request, by `organizationId` and `keyId`. What follows is given `limits`, too: see `limitsText`. */
export const ASKED_BOOKS = `
local organizationText = textOf(organizationBooks, organizationId) or '${NO_ORGANIZATION}'
local keyText = textOf(keyBooks, keyId) or '${NO_KEY}'
local heldText, inFlight, rate, restOfOrganization, usageText, creditsText =
  string.match(organizationText, '^(%S+) (%S+) (%S+) ((%S+) (%S+).*)$')
local keyHeldText, keyInFlight, keyRate, restOfKey, keyUsageText =
  string.match(keyText, '^(%S+) (%S+) (%S+) ((%S+).*)$')
`;

/**
 * Whether a request may come in: what core's `decideAdmission`, `rateUsedAt` and `fitsRate` say, in the same order of operations, so that all ledgers agree
 * to the last bit. Where there is a limit, `limited` is true, `refuser` is who refuses, or nothing, and the functions are made.
 *
 * A rate is a word of a book: `-`, or how much is used, when that was, and when it will have drained, with `@` between. `keyWord` and `word` are those to
 * give and to save, empty where there is no limit.
 */
export const ADMISSION = `
local limited, place, keyWord, word = limits ~= '${NO_LIMITS}', 1, '', ''
local refuser, countRates, saveRates, drainRatesFromNow

if limited then
  local keyMost, most, keyRequests, keySeconds, requests, seconds, keyUsed, keyIsAhead, used, isAhead
  place, keyMost, most, keyRequests, keySeconds, requests, seconds =
    string.match(limits, '^(%d) (%S+) (%S+) ([^/ ]+)/?(%d*) ([^/ ]+)/?(%d*)$')
  place, keyMost, most = tonumber(place), tonumber(keyMost), tonumber(most)
  keyRequests, requests = tonumber(keyRequests), tonumber(requests)

  -- How much is used now, and whether it was counted at a time that is not yet: the clock was set back.
  local function usedOf(rateWord, requests, seconds)
    if rateWord == '-' then return 0 end
    local used, at, drainsAt = string.match(rateWord, '^([^@]+)@(%d+)@(%d+)$')
    if tonumber(drainsAt) <= now then return 0 end
    if tonumber(at) > now then return tonumber(used), true end
    return math.max(0, used - (now - at) * requests / (seconds * 1000))
  end

  if keyRequests then keyUsed, keyIsAhead = usedOf(keyRate, keyRequests, keySeconds) end
  if requests then used, isAhead = usedOf(rate, requests, seconds) end
  if place == 1 and keyMost and tonumber(keyInFlight) >= keyMost then refuser = 'key_concurrency'
  elseif place == 1 and most and tonumber(inFlight) >= most then refuser = 'organization_concurrency'
  elseif keyUsed and keyUsed + 1 > keyRequests + 1e-6 then refuser = 'key_rate'
  elseif used and used + 1 > requests + 1e-6 then refuser = 'organization_rate' end

  local function wordOf(used, requests, seconds)
    return string.format('%.17g@%.0f@%.0f', used, now, now + math.ceil(used * seconds * 1000 / requests))
  end

  -- So many requests more. What is to be saved of a rate without a limit is what was there.
  function countRates(more)
    if keyUsed then keyWord = wordOf(keyUsed + more, keyRequests, keySeconds) end
    if used then word = wordOf(used + more, requests, seconds) end
    return keyUsed and keyWord or keyRate, used and word or rate
  end

  local function save(books, id, text, rateWord)
    local front, rest = string.match(text, '^(%S+ %S+ )%S+(.*)$')
    change(books, id, front .. rateWord .. rest)
  end

  function saveRates()
    if keyUsed then save(keyBooks, keyId, keyText, keyWord) end
    if used then save(organizationBooks, organizationId, organizationText, word) end
  end

  -- A refused request changes nothing. But where the clock was set back, what is used has to drain from the present on.
  function drainRatesFromNow()
    countRates(0)
    if keyIsAhead then save(keyBooks, keyId, keyText, keyWord) end
    if isAhead then save(organizationBooks, organizationId, organizationText, word) end
  end
end
`;
