import { ENDING, ENDING_KEYS, ENDING_MANY, GIVE_BACK, SAVE_BOOKS } from '../lua/endings.js';
import { BOOK_KEYS, WRITING } from '../lua/money.js';
import { FAILING, script } from '../lua/opening.js';

/**
 * Present moment, how many holds at most, how long endings are kept. Gives how many were due and how many it ended. What a sweep has done is remembered as
 * a hold is, under a name that no hold has.
 *
 * Where a hold is damaged, the others are ended one by one. It is no longer open then, and the error tells of it.
 */
export const EXPIRE = script([...BOOK_KEYS, ...ENDING_KEYS])`${WRITING}${ENDING}${ENDING_MANY}${FAILING}
local nowMs, most, keepMs = unpack(ARGV, 4)
local sweep = 'sweep ' .. token
local before = holdOf(sweep)
if before then return { most, before.amount } end
local due = redis.call('ZRANGEBYSCORE', OPEN, '-inf', whole(tonumber(nowMs) + shift), 'LIMIT', '0', most)
local ended, failure = 0, nil

local function expire(hold)
${GIVE_BACK}  append(organization, key, 'expired', hold.id .. '.expired', hold.amount, modelOf(hold), '', '', '', hold.budgets)
  saveEnded(hold, 'expired', hold.token, hold.amount, '', modelOf(hold), keepMs)
${SAVE_BOOKS}end

local function endDue(id)
  noLongerOpen[#noLongerOpen + 1] = id
  local hold = holdOf(id)
  if not hold or not hold.isOpen then return 0 end
  expire(hold)
  return 1
end

local function endAll()
  local count = 0
  fetchBooks(due)
  for _, id in ipairs(due) do count = count + endDue(id) end
  return count
end

local function endAlone(id)
  leave()
  local count = endDue(id)
  save()
  return count
end

local function endEach()
  for _, id in ipairs(due) do
    local isDone, count = pcall(endAlone, id)
    if isDone then ended = ended + count
    else
      failure = messageOf(count)
      redis.call('ZREM', OPEN, id)
    end
  end
  leave()
end

if #due == 0 then return { '0', '0' } end
local isDone, count = pcall(endAll)
if isDone then ended = count else endEach() end
remember(sweep, 'sweep ' .. token .. ' ' .. whole(ended), whole(now + keepMs))
save()
if failure then return { err = failure } end
return { whole(#due), whole(ended) }
`;
