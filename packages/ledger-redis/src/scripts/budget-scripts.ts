import { script } from '../lua/opening.js';

/** How many keys a refusal names. */
const NAMED_KEYS = 10;

/**
 * Organization, id, when it was created, and its record: limit, reset or `-`, mode. It keeps the time of an earlier one. A budget is a field of `budgets`, by organization and
 * id with a space between, and its name is in `budgets-of`, in the order of bytes. `budget-keys` has the same name with each key behind that names it and is not revoked.
 */
export const SET_BUDGET = script(
  ['budgets', 'budgets-of'],
  `
local organizationId, id, createdAtMs, record = unpack(ARGV, 4)
local name = organizationId .. ' ' .. id
local earlier = redis.call('HGET', BUDGETS, name)
redis.call('HSET', BUDGETS, name, (earlier and string.match(earlier, '^%d+') or createdAtMs) .. ' ' .. record)
redis.call('ZADD', BUDGETS_OF, '0', name)
return {}
`,
);

/** Organization, id. Gives when it was created and its record, or nothing. */
export const FIND_BUDGET = script(
  ['budgets'],
  `
local record = redis.call('HGET', BUDGETS, ARGV[4] .. ' ' .. ARGV[5])
return { record or nil }
`,
);

/** Organization, the id to begin behind or nothing, how many. Gives ids and what FIND_BUDGET gives. */
export const LIST_BUDGETS = script(
  ['budgets', 'budgets-of'],
  `
local organizationId, after, most = unpack(ARGV, 4)
local front, reply = organizationId .. ' ', {}
-- '!' is the next character after the space, which no id holds.
local names = redis.call('ZRANGEBYLEX', BUDGETS_OF, '(' .. front .. after, '(' .. organizationId .. '!', 'LIMIT', '0', most)
for place, name in ipairs(names) do
  reply[2 * place - 1], reply[2 * place] = string.sub(name, #front + 1), redis.call('HGET', BUDGETS, name)
end
return reply
`,
);

/** Organization, id. META says which attempt was the last that deleted one. */
export const DELETE_BUDGET = script(
  ['budgets', 'budgets-of', 'budget-keys'],
  `
local name = ARGV[4] .. ' ' .. ARGV[5]
if redis.call('HGET', META, 'deleting') == token then return { '1' } end
local users = redis.call('ZRANGEBYLEX', BUDGET_KEYS, '[' .. name .. ' ', '(' .. name .. '!', 'LIMIT', '0', '${NAMED_KEYS}')
if #users > 0 then
  for place, user in ipairs(users) do users[place] = string.match(user, '%S+$') end
  return refuse('budget_in_use', table.concat(users, ', '))
end
if redis.call('HDEL', BUDGETS, name) == 0 then return { '0' } end
redis.call('ZREM', BUDGETS_OF, name)
redis.call('HSET', META, 'deleting', token)
return { '1' }
`,
);

/** Before when it was last used, how many at most. Gives how many were looked at. What holds something is looked at again later. */
export const FORGET_BUDGETS = script(
  ['budget-counters', 'idle-budgets'],
  `
local due = redis.call('ZRANGEBYSCORE', IDLE_BUDGETS, '-inf', whole(tonumber(ARGV[4]) + shift), 'LIMIT', '0', ARGV[5])
for _, name in ipairs(due) do
  local held, isKept = string.match(redis.call('HGET', BUDGET_COUNTERS, name) or '0 1', '^(%S+) (%d)')
  if held ~= '0' then redis.call('ZADD', IDLE_BUDGETS, nowText, name) else redis.call('ZREM', IDLE_BUDGETS, name) end
  if held == '0' and isKept == '0' then
    redis.call('HDEL', BUDGET_COUNTERS, name)
    redis.call('HINCRBY', BUDGET_COUNTERS, string.match(name, '^%S+'), '-1')
  end
end
return { whole(#due) }
`,
);
