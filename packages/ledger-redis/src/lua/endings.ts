import { HOLDS, HOLDS_IN_HAND } from './holds.js';
import { MANY_IN_HAND } from './in-hand.js';

/** The keys of ENDING, beside those of WRITING. */
export const ENDING_KEYS = ['holds', 'open', 'ended'] as const;

/**
 * Ended holds are listed in the order in which they ended, and forgotten in that order once their time has come: up to 16 whenever 8 more have ended, so
 * that any rate is kept up with. The latest is in the list for as long as it is remembered, so the list is never empty. One that was ended late is
 * listed twice, and says itself when it is forgotten.
 *
 * The first write of what ends holds frees memory, so that it is never refused for want of it.
 */
const ENDINGS = `
-- The result of an operation on a hold that can no longer be ended. The attempt that ended it gets that it was the first.
local function endingOf(hold)
  return { hold.status == 'late' and 'settled' or hold.status, hold.amount, hold.token == token and '1' or '0' }
end

local function unknownHold(id) return refuse('unknown_hold', 'holdId: no hold "' .. id .. '" is known') end

-- Whether a settle or release still ends it: an expiry is not the last word.
local function canBeEnded(hold) return hold.isOpen or hold.status == 'expired' end

-- What it held, and its place, unless that is none. One that has expired gave both back then.
local function giveBack(hold, book, places)
  if not hold.isOpen then return end
  book.held = book.held - amount(hold.amount)
  if places > 0 then book.inFlight = whole(book.inFlight - places) end
end

local noLongerOpen, endings = {}, {}

local function remember(id, text, forgetAt)
  changeHold(id, text)
  endings[#endings + 1] = forgetAt .. ' ' .. id
end

-- One that cannot be read stays.
local function forget(id)
  local isSound, hold = pcall(holdOf, id)
  if isSound and hold and (tonumber(hold.forgetAt) or 0) <= now then redis.call('HDEL', HOLDS, id) end
end

local function forgetSome(most)
  for _ = 1, most do
    local dueAt, oldest = string.match(redis.call('LINDEX', ENDED, '0'), '^(%d+) (.*)$')
    if tonumber(dueAt) > now then return end
    redis.call('LPOP', ENDED)
    if oldest ~= '' then forget(oldest) end
  end
end

local function saveEndings()
  if #endings == 0 then return end
  local length = redis.call('RPUSH', ENDED, unpack(endings))
  forgetSome(16 * (math.floor(length / 8) - math.floor((length - #endings) / 8)))
end

-- One that has expired keeps what its late ending needs.
local function saveEnded(hold, status, attempt, amountText, provider, model, keepMs)
  local forgetAt = whole(now + keepMs)
  remember(hold.id, status .. ' ' .. attempt .. ' ' .. amountText .. ' ' .. hold.organizationId .. ' ' .. hold.keyId .. ' ' ..
    hold.madeAt .. ' ' .. nowText .. ' ' .. (hold.isOpen and '' or forgetAt) .. hold.budgets .. '\\n' .. hold.tag .. '\\n' .. #provider .. ' ' ..
    provider .. model, forgetAt)
end
`;

/** Reads the books of `hold`, which gets back what it held. Not a function, as what follows: each takes its time. */
export const GIVE_BACK = `
local organization, key = organizationBook(hold.organizationId), keyBook(hold.keyId)
local budgets = budgetsOf(hold.organizationId, hold.budgets)
giveBack(hold, organization, hold.places)
giveBack(hold, key, hold.places)
for place = 1, #budgets do giveBack(hold, budgets[place], 0) end
`;

export const SAVE_BOOKS = `
saveOrganization(organization)
saveKey(key)
for place = 1, #budgets do saveKey(budgets[place]) end
`;

/** What scripts that end holds are put together from, behind WRITING. */
export const ENDING = `${HOLDS}${HOLDS_IN_HAND}${ENDINGS}
local function save()
  if #noLongerOpen > 0 then redis.call('ZREM', OPEN, unpack(noLongerOpen)) end
  saveLog()
  saveHashes()
  saveEndings()
end
`;

/** … many at once. */
export const ENDING_MANY = `${MANY_IN_HAND}
local function leave()
  leaveHashes()
  entries, written, newNames, knownHolds, noLongerOpen, endings = entriesBefore, {}, {}, {}, {}, {}
end

local function fetchBooks(ids)
  local organizationIds, keyIds = {}, {}
  fetch(holds, ids)
  for place = 1, #ids do
    local hold = holdOf(ids[place])
    if hold then
      organizationIds[#organizationIds + 1], keyIds[#keyIds + 1] = hold.organizationId, hold.keyId
      if hold.budgets ~= '' then
        for budget in string.gmatch(hold.budgets, '%S+') do keyIds[#keyIds + 1] = hold.organizationId .. ' ' .. budget end
      end
    end
  end
  fetch(organizationBooks, organizationIds)
  fetch(keyBooks, keyIds)
end

local function fetchAll(firsts)
  local ids = {}
  for place = 1, #firsts do ids[place] = ARGV[firsts[place]] end
  fetchBooks(ids)
end
`;

/** The losses of an ending: groups of four values of the operation, which are model, provider, cost and reason. */
export const LOSSES = `
local function appendLosses(hold, organization, key, from)
  for index = from, last, 4 do
    local id = hold.id .. '.loss.' .. ((index - from) / 4 + 1)
    append(organization, key, 'loss', id, ARGV[index + 2], ARGV[index], hold.tag, ARGV[index + 1], ARGV[index + 3], hold.budgets)
  end
end
`;
