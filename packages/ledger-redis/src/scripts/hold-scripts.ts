import { ADMISSION, ASKED_BOOKS } from '../lua/admission.js';
import { WINDOW_USAGE } from '../lua/books.js';
import { CALENDAR } from '../lua/calendar.js';
import { ENDINGS, HOLDS, LOSSES } from '../lua/holds.js';
import { BOOK_KEYS, CHARGING, MONEY, WRITING } from '../lua/money.js';
import { script, scriptOfMany } from '../lua/opening.js';

const HOLD_KEYS = ['holds', 'open', 'ended'] as const;

/**
 * Hold id, organization, key, limit or nothing, its reset or nothing, when it expires, model, tag or nothing, limits of admission, amounts from the largest to
 * the smallest. Gives `held`, the amount, and the words of the rates; or `refused`, who refuses, those words, and the figures of money.
 */
export const HOLD = scriptOfMany(
  ['org-books', 'key-books', 'holds', 'open'],
  [MONEY, CALENDAR, WINDOW_USAGE, HOLDS],
  `
local id, organizationId, keyId, limit, reset, expiresAtText, model, tag, limits = unpack(ARGV, first, first + 8)
${ASKED_BOOKS}
${ADMISSION}
-- What an earlier attempt has done: this one, or another of the same id.
local function earlierResult()
  local earlier = holdOf(id)
  if not earlier then return nil end
  if earlier.token == token then
    if limited then countRates(0) end
    return { 'held', earlier.amount, keyWord, word }
  end
  return refuse('duplicate_hold', 'holdId: "' .. id .. '" was used before')
end

local function refused(by, ...)
  local earlier = earlierResult()
  if earlier then return earlier end
  if limited then drainRatesFromNow() end
  return { 'refused', by, keyWord, word, ... }
end
if refuser then return refused(refuser) end

local held, usage, credits, keyHeld = amount(heldText), amount(usageText), amount(creditsText), amount(keyHeldText)
local keyUsage = reset ~= '' and windowUsage(keyText, reset) or amount(keyUsageText)
local limitAmount = amount(limit ~= '' and limit)
local function keyRefuses(required) return limit ~= '' and exceeds(keyUsage + keyHeld + required, limitAmount) end

local amountText, amountHeld
for index = first + 9, last do
  local required = amount(ARGV[index])
  if not keyRefuses(required) and not exceeds(usage + held + required, credits) then
    amountText, amountHeld = ARGV[index], required
    break
  end
end

if not amountText then
  local required = amount(ARGV[last])
  local fitsWithoutHolds = not exceeds(usage + required, credits)
    and (limit == '' or not exceeds(keyUsage + required, limitAmount))
  local free = fitsWithoutHolds and '1' or '0'
  if not keyRefuses(required) then return refused('organization_credits', creditsText, usageText, heldText, '', free) end
  local _, windowEnd = calendar()
  local resetsAt = reset ~= '' and whole(windowEnd(reset, now)) or ''
  return refused('key_limit', limit, digits(keyUsage), keyHeldText, resetsAt, free)
end

held, keyHeld = held + amountHeld, keyHeld + amountHeld
if not fits(held) or not fits(keyHeld) then return refuseOverflow() end
local text = (place == 1 and 'open ' or 'waiting ') .. token .. ' ' .. amountText .. ' ' .. organizationId .. ' ' .. keyId .. ' ' ..
  nowText .. '  \\n' .. tag .. '\\n0 ' .. model
if redis.call('HSETNX', HOLDS, id, text) == 0 then return earlierResult() end
if limited then keyRate, rate = countRates(1) end
redis.call('HSET', ORG_BOOKS, organizationId,
  digits(held) .. ' ' .. whole(inFlight + place) .. ' ' .. rate .. ' ' .. restOfOrganization)
redis.call('HSET', KEY_BOOKS, keyId, digits(keyHeld) .. ' ' .. whole(keyInFlight + place) .. ' ' .. keyRate .. ' ' .. restOfKey)
redis.call('ZADD', OPEN, whole(tonumber(expiresAtText) + shift), id)
if not limited then return { 'held', amountText } end
return { 'held', amountText, keyWord, word }
`,
);

/** Hold id, cost, model, provider, cost source, what of it is owed or nothing, how long the ending is kept; losses. The first write frees memory, so that it is never refused for want of it. */
export const SETTLE = scriptOfMany(
  [...BOOK_KEYS, ...HOLD_KEYS],
  [CHARGING, HOLDS, ENDINGS, LOSSES],
  `
local id, cost, model, provider, source, owed, keepMs = unpack(ARGV, first, first + 6)
local hold = holdOf(id)
if not hold then return unknownHold(id) end
if not canBeEnded(hold) then return endingOf(hold) end
local late = not hold.isOpen
local organization, key = organizationBook(hold.organizationId), keyBook(hold.keyId)
giveBack(hold, organization)
giveBack(hold, key)
organization.usage = organization.usage + amount(cost)
useKey(key, amount(cost))
if not bothFit(organization, key) then return refuseOverflow() end

redis.call('ZREM', OPEN, id)
appendLosses(hold, organization, key, first + 7)
local detail = late and source .. ' late' or source
if owed ~= '' then detail = detail .. ' ' .. owed end
append(organization, key, 'charge', id, cost, model, hold.tag, provider, detail)
saveOrganization(organization)
saveKey(key)
saveEnded(hold, late and 'late' or 'settled', token, cost, provider, model, keepMs)
return { 'settled', cost, '1' }
`,
);

/** Hold id, how long the ending is kept; losses. */
export const RELEASE = scriptOfMany(
  [...BOOK_KEYS, ...HOLD_KEYS],
  [WRITING, HOLDS, ENDINGS, LOSSES],
  `
local id, keepMs = unpack(ARGV, first, first + 1)
local hold = holdOf(id)
if not hold then return unknownHold(id) end
if not canBeEnded(hold) then return endingOf(hold) end
local organization, key = organizationBook(hold.organizationId), keyBook(hold.keyId)
giveBack(hold, organization)
giveBack(hold, key)

redis.call('ZREM', OPEN, id)
appendLosses(hold, organization, key, first + 2)
saveOrganization(organization)
saveKey(key)
saveEnded(hold, 'released', token, '0', '', modelOf(hold), keepMs)
return { 'released', '0', '1' }
`,
);

/**
 * Present moment, policy, how many holds at most, how long endings are kept. Gives how many were due and how many it ended. A charge that no counter
 * has room for must not stop the sweep: such a hold is freed instead. What a sweep has done is remembered as a hold is, under a name that no hold has.
 */
export const EXPIRE = script(
  [...BOOK_KEYS, ...HOLD_KEYS],
  CHARGING,
  HOLDS,
  ENDINGS,
  `
local nowMs, policy, most, keepMs = unpack(ARGV, 4)
local sweep = 'sweep ' .. token
local before = holdOf(sweep)
if before then return { most, before.amount } end
local due = redis.call('ZRANGEBYSCORE', OPEN, '-inf', whole(tonumber(nowMs) + shift), 'LIMIT', '0', most)
local ended = 0

local function freedBooks(hold)
  local organization, key = organizationBook(hold.organizationId), keyBook(hold.keyId)
  giveBack(hold, organization)
  giveBack(hold, key)
  return organization, key
end

local function chargedBooks(hold)
  local organization, key = freedBooks(hold)
  organization.usage = organization.usage + amount(hold.amount)
  useKey(key, amount(hold.amount))
  if bothFit(organization, key) then return organization, key end
end

local function expire(hold)
  local charged, chargedKey
  if policy == 'charge' then charged, chargedKey = chargedBooks(hold) end
  local organization, key = charged, chargedKey
  if not charged then organization, key = freedBooks(hold) end
  append(organization, key, 'expired', hold.id .. '.expired', hold.amount, modelOf(hold), '', '', '')
  if charged then append(organization, key, 'charge', hold.id, hold.amount, modelOf(hold), hold.tag, '', 'held') end
  saveEnded(hold, charged and 'expired' or 'unpaid', hold.token, hold.amount, '', modelOf(hold), keepMs)
  saveOrganization(organization)
  saveKey(key)
end

for _, id in ipairs(due) do
  redis.call('ZREM', OPEN, id)
  local hold = holdOf(id)
  if hold and hold.isOpen then
    expire(hold)
    ended = ended + 1
  end
end
if #due > 0 then
  closeLog()
  remember(sweep, 'sweep ' .. token .. ' ' .. whole(ended), whole(now + keepMs))
end
return { whole(#due), whole(ended) }
`,
);

/**
 * Hold id. Gives nothing, or its status, what was charged, organization, key, model, provider, when it was made and when it ended, empty where it has not. What
 * ended before version 4 says nothing about itself.
 */
export const FIND_HOLD = script(
  ['holds'],
  HOLDS,
  `
local hold = holdOf(ARGV[4])
if not hold or not hold.organizationId then return {} end
local statuses = { waiting = 'open', unpaid = 'expired', late = 'settled' }
local cost = (hold.isOpen or hold.status == 'unpaid') and '0' or hold.amount
return { statuses[hold.status] or hold.status, cost, hold.organizationId, hold.keyId, modelOf(hold), providerOf(hold), hold.madeAt,
  hold.isOpen and '' or hold.endedAt }
`,
);
