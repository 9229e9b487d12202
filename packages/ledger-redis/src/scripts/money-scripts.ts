import { AMOUNTS } from '../lua/amounts.js';
import { COUNTING, LIMIT_USAGE, SPENDING } from '../lua/books.js';
import { CALENDAR } from '../lua/calendar.js';
import { HOLDS, LOSSES } from '../lua/holds.js';
import { LOG } from '../lua/log.js';
import { OPENING } from '../lua/opening.js';

const MONEY = [OPENING, AMOUNTS, COUNTING].join('');
const CHARGING = [MONEY, CALENDAR, SPENDING, LOG].join('');

/** Grant id, organisation, amount, note. */
export const GRANT = `${MONEY}${LOG}
local id, organizationId, amountText, note = unpack(ARGV, 4)
local applied = redis.call('HGET', base .. 'grants', id)
if applied then return { applied == token and '1' or '0' } end
local found = redis.call('HMGET', base .. 'org:' .. organizationId, 'held', 'credits')
local credits = amount(found[2]) + amount(amountText)
if not fits(credits) then return refuseOverflow() end

redis.call('HSET', base .. 'grants', id, token)
know('org', organizationId, found[1])
redis.call('HSET', base .. 'org:' .. organizationId, 'held', found[1] or '0', 'credits', digits(credits))
append('grant', id, organizationId, '', amountText, '', '', note)
closeLog()
return { '1' }
`;

/** Adjustment id, organisation, key or nothing, amount, note. */
export const ADJUST = `${CHARGING}
local id, organizationId, keyId, amountText, note = unpack(ARGV, 4)
local applied = redis.call('HGET', base .. 'adjustments', id)
if applied then return { applied == token and '1' or '0' } end
local organization, key = organizationBook(organizationId), keyBook(keyId)
organization.usage = organization.usage + amount(amountText)
useKey(key, amount(amountText))
if not bothFit(organization, key) then return refuseOverflow() end

redis.call('HSET', base .. 'adjustments', id, token)
saveOrganization(organization)
if keyId ~= '' then saveKey(key) end
append('adjustment', id, organizationId, keyId, amountText, '', '', note)
closeLog()
return { '1' }
`;

/** Hold id, organisation, key, limit or nothing, its reset or nothing, amount, when it expires, model. */
export const HOLD = `${MONEY}${CALENDAR}${LIMIT_USAGE}${HOLDS}
local id, organizationId, keyId, limit, reset, amountText, expiresAt, model = unpack(ARGV, 4)
local earlier = holdOf(id)
if earlier then
  if earlier.token == token then return { 'held' } end
  return refuse('duplicate_hold', 'holdId: "' .. id .. '" was used before')
end
local required = amount(amountText)
local found = redis.call('HMGET', base .. 'org:' .. organizationId, 'held', 'usage', 'credits')
local held, usage, credits = amount(found[1]), amount(found[2]), amount(found[3])
local keyUsage, keyFound = limitUsage(keyId, reset)
local keyHeld = amount(keyFound)
local keyRefuses = limit ~= '' and exceeds(keyUsage + keyHeld + required, amount(limit))
if keyRefuses or exceeds(usage + held + required, credits) then
  local fitsWithoutHolds = not exceeds(usage + required, credits)
    and (limit == '' or not exceeds(keyUsage + required, amount(limit)))
  local free = fitsWithoutHolds and '1' or '0'
  if not keyRefuses then
    return { 'refused', 'organization_credits', digits(credits), digits(usage), digits(held), '', free }
  end
  local resetsAt = reset ~= '' and whole(windowEnd(reset, now)) or ''
  return { 'refused', 'key_limit', limit, digits(keyUsage), digits(keyHeld), resetsAt, free }
end
held, keyHeld = held + required, keyHeld + required
if not fits(held) or not fits(keyHeld) then return refuseOverflow() end

know('org', organizationId, found[1])
redis.call('HSET', base .. 'org:' .. organizationId, 'held', digits(held))
know('key', keyId, keyFound)
redis.call('HSET', base .. 'key:' .. keyId, 'held', digits(keyHeld))
redis.call('SET', base .. 'hold:' .. id, table.concat({ 'open', token, amountText, organizationId, keyId, model }, ' '))
redis.call('ZADD', base .. 'open', whole(tonumber(expiresAt) + shift), id)
return { 'held' }
`;

/** Hold id, cost, model, provider, cost source, how long the ending is kept; losses. The first write frees memory, so that it is never refused for want of it. */
export const SETTLE = `${CHARGING}${HOLDS}${LOSSES}
local id, cost, model, provider, source, keepMs = unpack(ARGV, 4, 9)
local hold = holdOf(id)
if not hold then return unknownHold(id) end
local late = hold.status == 'unpaid'
if hold.status ~= 'open' and not late then return endingOf(hold) end
local organization, key = organizationBook(hold.organizationId), keyBook(hold.keyId)
if not late then
  organization.held = organization.held - amount(hold.amount)
  key.held = key.held - amount(hold.amount)
end
organization.usage = organization.usage + amount(cost)
useKey(key, amount(cost))
if not bothFit(organization, key) then return refuseOverflow() end

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
export const RELEASE = `${MONEY}${LOG}${HOLDS}${LOSSES}
local id, keepMs = unpack(ARGV, 4, 5)
local hold = holdOf(id)
if not hold then return unknownHold(id) end
if hold.status ~= 'open' then return endingOf(hold) end

local function free(name)
  redis.call('HSET', name, 'held', digits(amount(redis.call('HGET', name, 'held')) - amount(hold.amount)))
end

redis.call('ZREM', base .. 'open', id)
free(base .. 'org:' .. hold.organizationId)
free(base .. 'key:' .. hold.keyId)
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
export const EXPIRE = `${CHARGING}${HOLDS}
local nowMs, policy, most, keepMs = unpack(ARGV, 4)
local before = redis.call('GET', base .. 'sweep:' .. token)
if before then return { most, before } end
local due = redis.call('ZRANGEBYSCORE', base .. 'open', '-inf', whole(tonumber(nowMs) + shift), 'LIMIT', '0', most)
local ended = 0

local function freedBooks(hold)
  local organization, key = organizationBook(hold.organizationId), keyBook(hold.keyId)
  organization.held = organization.held - amount(hold.amount)
  key.held = key.held - amount(hold.amount)
  return organization, key
end

local function chargedBooks(hold)
  local organization, key = freedBooks(hold)
  organization.usage = organization.usage + amount(hold.amount)
  useKey(key, amount(hold.amount))
  if bothFit(organization, key) then return organization, key end
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
export const KEY_TOTALS = `${MONEY}${CALENDAR}${LIMIT_USAGE}
local keyId, reset = ARGV[4], ARGV[5]
local usage, held = limitUsage(keyId, '')
local windowUsage = usage
if reset ~= '' then windowUsage = limitUsage(keyId, reset) end
return { digits(usage), held or '0', digits(windowUsage) }
`;
