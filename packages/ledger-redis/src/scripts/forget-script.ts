import { BUDGET_IDLE_DAYS } from '@searchgate/core/ledger';
import { script } from '../lua/opening.js';

/** How many one script looks at: less than a millisecond in which Redis serves no one else. */
export const BUDGETS_AT_ONCE = 100;

/**
 * Forgets counters that are not kept, hold nothing and were not used for long. Gives how many were looked at: those that stay are looked at again later.
 */
export const FORGET_BUDGETS = script(['key-counters', 'idle-budgets'])`
local today = math.floor(now / 86400000)
local function isIdle(book)
  local held, latestDay = string.match(book, '^(%S+) 0 %S+ %S+ (%d+)')
  return held == '0' and today - latestDay > ${BUDGET_IDLE_DAYS}
end

local due = redis.call('ZRANGEBYSCORE', IDLE_BUDGETS, '-inf', whole(today - ${BUDGET_IDLE_DAYS} - 1), 'LIMIT', '0', '${BUDGETS_AT_ONCE}')
for _, name in ipairs(due) do
  local book = redis.call('HGET', KEY_COUNTERS, name)
  if book and isIdle(book) then
    redis.call('HDEL', KEY_COUNTERS, name)
    redis.call('HINCRBY', KEY_COUNTERS, string.match(name, '^%S+ '), '-1')
    book = nil
  end
  if book and string.find(book, '^%S+ 0 ') then redis.call('ZADD', IDLE_BUDGETS, whole(today), name)
  else redis.call('ZREM', IDLE_BUDGETS, name) end
end
return { whole(#due) }
`;
