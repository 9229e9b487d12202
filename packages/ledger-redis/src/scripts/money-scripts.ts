import { AMOUNTS } from '../lua/amounts.js';
import { BOOKS } from '../lua/books.js';
import { CALENDAR } from '../lua/calendar.js';
import { HOLDS } from '../lua/holds.js';
import { LOG } from '../lua/log.js';
import { OPENING } from '../lua/opening.js';

const MONEY = [OPENING, AMOUNTS, CALENDAR, BOOKS].join('');

/** Grant id, organisation, amount, note. */
export const GRANT = `${MONEY}${LOG}
local id, organizationId, amountText, note = unpack(ARGV, 4)
local applied = redis.call('HGET', base .. 'grants', id)
if applied then return { applied == token and '1' or '0' } end
local organization = organizationBook(organizationId)
organization.credits = organization.credits + amount(amountText)
if not organizationFits(organization) then return refuseOverflow() end

redis.call('HSET', base .. 'grants', id, token)
saveOrganization(organization)
append('grant', id, organizationId, '', amountText, '', '', note)
closeLog()
return { '1' }
`;

/** Adjustment id, organisation, key or nothing, amount, note. */
export const ADJUST = `${MONEY}${LOG}
local id, organizationId, keyId, amountText, note = unpack(ARGV, 4)
local applied = redis.call('HGET', base .. 'adjustments', id)
if applied then return { applied == token and '1' or '0' } end
local organization = organizationBook(organizationId)
local key = keyId ~= '' and keyBook(keyId)
organization.usage = organization.usage + amount(amountText)
if key then useKey(key, amount(amountText)) end
if not organizationFits(organization) or (key and not keyFits(key)) then return refuseOverflow() end

redis.call('HSET', base .. 'adjustments', id, token)
saveOrganization(organization)
if key then saveKey(key) end
append('adjustment', id, organizationId, keyId, amountText, '', '', note)
closeLog()
return { '1' }
`;

/** Hold id, organisation, key, limit or nothing, its reset or nothing, amount, when it expires, model. */
export const HOLD = `${MONEY}${HOLDS}
local id, organizationId, keyId, limit, reset, amountText, expiresAt, model = unpack(ARGV, 4)
local known = holdOf(id)
if known then
  if known.token == token then return { 'held' } end
  return refuse('duplicate_hold', 'holdId: "' .. id .. '" was used before')
end
local organization, key, required = organizationBook(organizationId), keyBook(keyId), amount(amountText)
local keyUsage = usageInWindow(key, reset)
local keyRefuses = limit ~= '' and amount(limit) < keyUsage + key.held + required
if keyRefuses or organization.credits < organization.usage + organization.held + required then
  local fitsWithoutHolds = not (organization.credits < organization.usage + required)
    and (limit == '' or not (amount(limit) < keyUsage + required))
  local by, most, usage, held, resetsAt = 'organization_credits', organization.credits, organization.usage, organization.held, ''
  if keyRefuses then
    by, most, usage, held = 'key_limit', limit, keyUsage, key.held
    if reset ~= '' then resetsAt = whole(windowEnd(reset, now)) end
  end
  return { 'refused', by, tostring(most), tostring(usage), tostring(held), resetsAt, fitsWithoutHolds and '1' or '0' }
end
organization.held = organization.held + required
key.held = key.held + required
if not fits(organization.held) or not fits(key.held) then return refuseOverflow() end

saveHeld('org', organization)
saveHeld('key', key)
saveOpen({ id = id, token = token, amount = amountText, organizationId = organizationId, keyId = keyId, model = model })
redis.call('ZADD', base .. 'open', whole(tonumber(expiresAt) + shift), id)
return { 'held' }
`;

/** Hold id, cost, model, provider, cost source, how long the ending is kept; losses. The first write frees memory, so that it is never refused for want of it. */
export const SETTLE = `${MONEY}${LOG}${HOLDS}
local id, cost, model, provider, source, keepMs = unpack(ARGV, 4, 9)
local hold = holdOf(id)
if not hold then return unknownHold(id) end
local late = hold.status == 'unpaid'
if hold.status ~= 'open' and not late then return endingOf(hold) end
local organization, key = organizationBook(hold.organizationId), keyBook(hold.keyId)
if not late then free(hold, organization, key) end
organization.usage = organization.usage + amount(cost)
useKey(key, amount(cost))
if not organizationFits(organization) or not keyFits(key) then return refuseOverflow() end

redis.call('ZREM', base .. 'open', id)
saveOrganization(organization)
saveKey(key)
saveEnded(id, 'settled', token, cost, keepMs)
appendLosses(hold, 10)
append('charge', id, hold.organizationId, hold.keyId, cost, model, provider, late and source .. ' late' or source)
closeLog()
return { 'settled', cost, '1' }
`;

/** Hold id, how long the ending is kept; losses. */
export const RELEASE = `${MONEY}${LOG}${HOLDS}
local id, keepMs = unpack(ARGV, 4, 5)
local hold = holdOf(id)
if not hold then return unknownHold(id) end
if hold.status ~= 'open' then return endingOf(hold) end
local organization, key = organizationBook(hold.organizationId), keyBook(hold.keyId)
free(hold, organization, key)

redis.call('ZREM', base .. 'open', id)
saveHeld('org', organization)
saveHeld('key', key)
saveEnded(id, 'released', token, '0', keepMs)
if #ARGV > 5 then
  appendLosses(hold, 6)
  closeLog()
end
return { 'released', '0', '1' }
`;

/**
 * Present moment, policy, how many holds at most, how long endings are kept. Gives how many were due and how many it ended. A charge that no counter
 * has room for must not stop the sweep: such a hold is freed instead.
 */
export const EXPIRE = `${MONEY}${LOG}${HOLDS}
local nowMs, policy, most, keepMs = unpack(ARGV, 4)
local before = redis.call('GET', base .. 'sweep:' .. token)
if before then return { most, before } end
local due = redis.call('ZRANGEBYSCORE', base .. 'open', '-inf', whole(tonumber(nowMs) + shift), 'LIMIT', '0', most)
local ended = 0

local function freedBooks(hold)
  local organization, key = organizationBook(hold.organizationId), keyBook(hold.keyId)
  free(hold, organization, key)
  return organization, key
end

local function chargedBooks(hold)
  local organization, key = freedBooks(hold)
  organization.usage = organization.usage + amount(hold.amount)
  useKey(key, amount(hold.amount))
  if organizationFits(organization) and keyFits(key) then return organization, key end
end

local function expire(hold)
  append('expired', hold.id .. '.expired', hold.organizationId, hold.keyId, hold.amount, hold.model, '', '')
  local organization, key
  if policy == 'charge' then organization, key = chargedBooks(hold) end
  if organization then
    saveEnded(hold.id, 'expired', hold.token, hold.amount, keepMs)
    append('charge', hold.id, hold.organizationId, hold.keyId, hold.amount, hold.model, '', 'held')
  else
    organization, key = freedBooks(hold)
    saveUnpaid(hold, keepMs)
  end
  saveOrganization(organization)
  saveKey(key)
end

for _, id in ipairs(due) do
  redis.call('ZREM', base .. 'open', id)
  local hold = holdOf(id)
  if hold and hold.status == 'open' then
    expire(hold)
    ended = ended + 1
  end
end
if #due > 0 then
  closeLog()
  redis.call('SET', base .. 'sweep:' .. token, whole(ended), 'PX', '600000')
end
return { whole(#due), whole(ended) }
`;

/** Organisation. */
export const ORGANIZATION_TOTALS = `${OPENING}
local found = redis.call('HMGET', base .. 'org:' .. ARGV[4], 'credits', 'usage', 'held')
return { found[1] or '0', found[2] or '0', found[3] or '0' }
`;

/** Key, reset or nothing. */
export const KEY_TOTALS = `${MONEY}
local key = keyBook(ARGV[4])
return { tostring(key.usage), tostring(key.held), tostring(usageInWindow(key, ARGV[5])) }
`;
