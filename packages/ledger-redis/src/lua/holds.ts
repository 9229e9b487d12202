/**
 * Holds, one text each. First words, separated by spaces, which ids cannot hold: the status, a token, an amount, the organization, the key, and three times: when
 * it was made, when it ended and, of one that was ended late, when it is forgotten. Then a line with the tag. Then who served and which slug ran, with the
 * length of the first in front, since both may be any text.
 *
 * The status is `open`, or `waiting` where it takes no place; `unpaid` where it expired without a charge; `settled`, `released`, `expired`, and `late` where it was
 * settled after it had expired, with what was charged as the amount. One that was released after it had expired is `released`.
 *
 * The token is that of the attempt which made the hold or, in `settled`, `released` and `late`, which ended it: by it an attempt that is repeated
 * knows its own work.
 *
 * Holds from before version 4 stay as they were. Open and unpaid ones have no times and no tag, so that they count as made in 1970. Ended ones have nothing
 * behind the amount, but late ones the time when they are forgotten.
 */
export const HOLDS = `
local function holdOf(id)
  local text = redis.call('HGET', HOLDS, id)
  if not text then return nil end
  local status, attempt, amountText, organizationId, keyId, madeAt, endedAt, forgetAt, tag, length, served =
    string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%d+) (%d*) (%d*)\\n([^\\n]*)\\n(%d+) (.*)$')
  if not status then
    madeAt, endedAt, tag, length = '0', '0', '', 0
    status, attempt, amountText, forgetAt = string.match(text, '^(%S+) (%S+) (%S+) ?(.*)$')
    organizationId, keyId, served = string.match(forgetAt, '^(%S+) (%S+) (.*)$')
  end
  return { id = id, status = status, isOpen = status == 'open' or status == 'waiting', places = status == 'open' and 1 or 0,
    token = attempt, amount = amountText, organizationId = organizationId, keyId = keyId, madeAt = madeAt, endedAt = endedAt,
    forgetAt = forgetAt, tag = tag, providerLength = length, served = served }
end

local function providerOf(hold) return string.sub(hold.served, 1, hold.providerLength) end
local function modelOf(hold) return string.sub(hold.served, hold.providerLength + 1) end
`;

/**
 * Ended holds are listed in the order in which they ended, and forgotten in that order once their time has come: up to 16 whenever 8 more have ended, so
 * that any rate is kept up with. The latest is in the list for as long as it is remembered, so the list is never empty. One that was ended late is
 * listed twice, and says itself when it is forgotten.
 */
export const ENDINGS = `
-- The result of an operation on an ended hold. The attempt that ended it gets that it was the first.
local function endingOf(hold)
  if hold.status == 'unpaid' then return { 'expired', '0', '0' } end
  local first = hold.status ~= 'expired' and hold.token == token
  return { hold.status == 'late' and 'settled' or hold.status, hold.amount, first and '1' or '0' }
end

local function unknownHold(id) return refuse('unknown_hold', 'holdId: no hold "' .. id .. '" is known') end

-- Whether a settle or release still ends it: an expiry that charged nothing is not the last word.
local function canBeEnded(hold) return hold.isOpen or hold.status == 'unpaid' end

-- What it held, and its place. One that has expired gave both back then.
local function giveBack(hold, book)
  if not hold.isOpen then return end
  book.held = book.held - amount(hold.amount)
  book.inFlight = whole(book.inFlight - hold.places)
end

local function forget(id)
  local hold = holdOf(id)
  if hold and (tonumber(hold.forgetAt) or 0) <= now then redis.call('HDEL', HOLDS, id) end
end

local function remember(id, text, forgetAt)
  redis.call('HSET', HOLDS, id, text)
  if redis.call('RPUSH', ENDED, forgetAt .. ' ' .. id) % 8 > 0 then return end
  for _ = 1, 16 do
    local dueAt, oldest = string.match(redis.call('LINDEX', ENDED, '0'), '^(%d+) (.*)$')
    if tonumber(dueAt) > now then return end
    redis.call('LPOP', ENDED)
    if oldest ~= '' then forget(oldest) end
  end
end

-- An unpaid one keeps what its late ending needs.
local function saveEnded(hold, status, attempt, amountText, provider, model, keepMs)
  local forgetAt = whole(now + keepMs)
  remember(hold.id, status .. ' ' .. attempt .. ' ' .. amountText .. ' ' .. hold.organizationId .. ' ' .. hold.keyId .. ' ' ..
    hold.madeAt .. ' ' .. nowText .. ' ' .. (hold.isOpen and '' or forgetAt) .. '\\n' .. hold.tag .. '\\n' .. #provider .. ' ' ..
    provider .. model, forgetAt)
end
`;

/** The losses of an ending: groups of four values of the operation, which are model, provider, cost and reason. */
export const LOSSES = `
local function appendLosses(hold, organization, key, from)
  for index = from, last, 4 do
    local id = hold.id .. '.loss.' .. ((index - from) / 4 + 1)
    append(organization, key, 'loss', id, ARGV[index + 2], ARGV[index], hold.tag, ARGV[index + 1], ARGV[index + 3])
  end
end
`;
