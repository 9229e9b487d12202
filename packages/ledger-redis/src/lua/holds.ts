/**
 * Holds, one text each, its parts separated by spaces, which ids cannot hold: `open`, and `unpaid` where it expired without a charge, with
 * everything a settle needs; `settled`, `released` and `expired` with what was charged. Ended ones are forgotten after a time.
 *
 * The token is that of the attempt which made the hold or, in `settled` and `released`, which ended it: by it an attempt that is repeated
 * knows its own work.
 */
export const HOLDS = `
local function holdOf(id)
  local text = redis.call('GET', base .. 'hold:' .. id)
  if not text then return nil end
  local status, attempt, amountText, rest = string.match(text, '^(%S+) (%S+) (%S+) ?(.*)$')
  local organizationId, keyId, model = string.match(rest, '^(%S+) (%S+) (.*)$')
  return { id = id, status = status, token = attempt, amount = amountText,
    organizationId = organizationId, keyId = keyId, model = model }
end

local function saveUnpaid(hold, keepMs)
  redis.call('SET', base .. 'hold:' .. hold.id,
    table.concat({ 'unpaid', hold.token, hold.amount, hold.organizationId, hold.keyId, hold.model }, ' '), 'PX', keepMs)
end

local function saveEnded(id, status, attempt, cost, keepMs)
  redis.call('SET', base .. 'hold:' .. id, table.concat({ status, attempt, cost }, ' '), 'PX', keepMs)
end

-- What a verb on a hold that has ended is told; to the attempt that ended it, that it was the first.
local function endingOf(hold)
  if hold.status == 'unpaid' then return { 'expired', '0', '0' } end
  local first = hold.status ~= 'expired' and hold.token == token
  return { hold.status, hold.amount, first and '1' or '0' }
end

local function unknownHold(id) return refuse('unknown_hold', 'holdId: no hold "' .. id .. '" is known') end
`;

/** The losses of an ending: groups of four arguments, which are model, provider, cost and reason. */
export const LOSSES = `
local function appendLosses(hold, from)
  for index = from, #ARGV, 4 do
    local id = hold.id .. '.loss.' .. ((index - from) / 4 + 1)
    append('loss', id, hold.organizationId, hold.keyId, ARGV[index + 2], ARGV[index], ARGV[index + 1], ARGV[index + 3])
  end
end
`;
