/**
 * Holds, one text each, its parts separated by spaces, which ids cannot hold: status, token, amount, a time, and for what may still be charged
 * organization, key and model. `open`, and `unpaid` where it expired without a charge, with what was held; `settled`, `released` and
 * `expired` with what was charged. The time is when an open hold expires and when an ended one is forgotten.
 *
 * The token is that of the attempt which made the hold or, in `settled` and `released`, which ended it: by it an attempt that is repeated
 * knows its own work.
 */
export const HOLDS = `
local function holdOf(id)
  local text = redis.call('HGET', HOLDS, id)
  if not text then return nil end
  local status, attempt, amountText, untilMs, rest = string.match(text, '^(%S+) (%S+) (%S+) (%d+) ?(.*)$')
  local organizationId, keyId, model = string.match(rest, '^(%S+) (%S+) (.*)$')
  return { id = id, status = status, token = attempt, amount = amountText, untilMs = tonumber(untilMs),
    organizationId = organizationId, keyId = keyId, model = model }
end

-- What a verb on a hold that has ended is told; to the attempt that ended it, that it was the first.
local function endingOf(hold)
  if hold.status == 'unpaid' then return { 'expired', '0', '0' } end
  local first = hold.status ~= 'expired' and hold.token == token
  return { hold.status, hold.amount, first and '1' or '0' }
end

local function unknownHold(id) return refuse('unknown_hold', 'holdId: no hold "' .. id .. '" is known') end
`;

/**
 * Ended holds are listed in the order in which they ended, and forgotten in that order once their time has come: two for each that ends, so that any
 * rate is kept up with. The latest is in the list for as long as it is remembered, so the list is never empty.
 */
export const ENDINGS = `
local function remember(id, text, keepMs)
  redis.call('HSET', HOLDS, id, text)
  redis.call('RPUSH', ENDED, whole(now + keepMs) .. ' ' .. id)
  for _ = 1, 2 do
    local untilMs, oldest = string.match(redis.call('LINDEX', ENDED, 0), '^(%d+) (.*)$')
    if tonumber(untilMs) > now then return end
    redis.call('LPOP', ENDED)
    local hold = oldest ~= '' and holdOf(oldest)
    -- One that expired and was settled later is listed twice.
    if hold and hold.untilMs <= now and hold.status ~= 'open' then redis.call('HDEL', HOLDS, oldest) end
  end
end

local function saveUnpaid(hold, keepMs)
  remember(hold.id, table.concat({ 'unpaid', hold.token, hold.amount, whole(now + keepMs),
    hold.organizationId, hold.keyId, hold.model }, ' '), keepMs)
end

local function saveEnded(id, status, attempt, cost, keepMs)
  remember(id, table.concat({ status, attempt, cost, whole(now + keepMs) }, ' '), keepMs)
end
`;

/** The losses of an ending: groups of four arguments, which are model, provider, cost and reason. */
export const LOSSES = `
local function appendLosses(hold, organization, key, from)
  for index = from, #ARGV, 4 do
    local id = hold.id .. '.loss.' .. ((index - from) / 4 + 1)
    append({ 'loss', id, hold.organizationId, hold.keyId, ARGV[index + 2], ARGV[index], ARGV[index + 1], ARGV[index + 3] },
      organization, key)
  end
end
`;
