import { BUDGET_IDLE_DAYS } from '@searchgate/core/ledger';
import { AMOUNTS } from '../lua/amounts.js';
import { NUMBERS_A_PIECE, SPENDING } from '../lua/books.js';
import { CALENDAR } from '../lua/calendar.js';
import { script } from '../lua/opening.js';

/** How many entries one script looks at: some two milliseconds in which Redis serves no one else. */
const ENTRIES_AT_ONCE = 200;

/**
 * The number to remove entries before. Removes some, and gives how many, and `more` or `done`. META says up to which number the log was cut, and what the
 * latest attempt has done.
 *
 * What is removed is added to `checkpoint`: `org` and its id, with credits and usage; `key` and its id, with the usage and the windows of its book; `budget`,
 * its organization and its id, likewise, with what was used before it was last idle for long. Grants and adjustments stay in the log, since their ids apply
 * once, and are added as well. The index of an organization or a key gets a field `kept`: how many of its numbers the cut has passed, and those among them
 * that stayed. The pieces of the others go.
 */
export const REMOVE = script(['log', 'index', 'checkpoint'])`${AMOUNTS}${CALENDAR}${SPENDING}
local before = redis.call('HGET', META, 'cutting') or ''
local attempt, count, state = string.match(before, '^(%S+) (%d+) (%S+)$')
if attempt == token then return { count, state } end

local behindText, cut = ARGV[4], tonumber(redis.call('HGET', META, 'cut') or '0')
if tonumber(behindText) > math.max(entries, 1) then
  return refuse('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this ledger')
end
local stop = math.min(behindText - 1, cut + ${ENTRIES_AT_ONCE})
if stop <= cut then return { '0', 'done' } end

local subjects, order = {}, {}
local function subjectOf(kind, id)
  local name = kind .. id
  if subjects[name] then return subjects[name] end
  local passed, kept = string.match(redis.call('HGET', INDEX, name .. ' kept') or '0 ', '^(%d+) (.*)$')
  local one, two, beforeDay, beforeWeek, beforeMonth, beforeIdle =
    string.match(redis.call('HGET', CHECKPOINT, name) or '0 0 0 0 0 0', '^(%S+) (%S+) ?(%S*) ?(%S*) ?(%S*) ?(%S*)$')
  local subject = { name = name, passed = tonumber(passed), from = tonumber(passed), kept = kept }
  if kind == 'org ' then
    subject.credits, subject.usage = amount(one), amount(two)
  else
    subject.usage, subject.latestDay = amount(one), two
    subject.beforeDay, subject.beforeWeek, subject.beforeMonth = beforeDay, beforeWeek, beforeMonth
    subject.beforeIdle = kind == 'budget ' and beforeIdle or nil
  end
  subjects[name], order[#order + 1] = subject, subject
  return subject
end

local function pass(subject, number, stays)
  subject.passed = subject.passed + 1
  if stays then subject.kept = subject.kept == '' and number or subject.kept .. ',' .. number end
end

-- Budgets are in no index.
local function saveIndex(subject)
  for piece = math.floor(subject.from / ${NUMBERS_A_PIECE}), math.floor(subject.passed / ${NUMBERS_A_PIECE}) - 1 do
    redis.call('HDEL', INDEX, subject.name .. ' ' .. whole(piece))
  end
  redis.call('HSET', INDEX, subject.name .. ' kept', whole(subject.passed) .. ' ' .. subject.kept)
end

local function useBudgets(organizationId, ids, cost)
  for id in string.gmatch(ids, '%S+') do
    local budget = subjectOf('budget ', organizationId .. ' ' .. id)
    if math.floor(now / DAY) - budget.latestDay > ${BUDGET_IDLE_DAYS} then budget.beforeIdle = digits(budget.usage) end
    useKey(budget, cost)
  end
end

local function save(subject)
  if not subject.beforeIdle then saveIndex(subject) end
  local texts = subject.credits and { digits(subject.credits), digits(subject.usage) } or
    { digits(subject.usage), subject.latestDay, subject.beforeDay, subject.beforeWeek, subject.beforeMonth, subject.beforeIdle }
  redis.call('HSET', CHECKPOINT, subject.name, table.concat(texts, ' '))
end

local removed = {}
for _, entry in ipairs(redis.call('XRANGE', LOG, whole(cut + 1) .. '-0', whole(stop) .. '-0')) do
  local fields, number = entry[2], string.match(entry[1], '^%d+')
  local kind, cost = fields[2], amount(fields[10])
  local organization = subjectOf('org ', fields[6])
  local keyId, ids = string.match(fields[8], '^(%S*)(.*)$')
  local key = keyId ~= '' and subjectOf('key ', keyId)
  local stays = kind == 'grant' or kind == 'adjustment'
  if kind == 'grant' then organization.credits = organization.credits + cost end
  if kind == 'charge' or kind == 'adjustment' then
    organization.usage = organization.usage + cost
    -- Its windows are those of the time it was written at.
    now = tonumber(fields[12])
    if key then useKey(key, cost) end
    useBudgets(fields[6], ids, cost)
  end
  pass(organization, number, stays)
  if key then pass(key, number, stays) end
  if not stays then removed[#removed + 1] = entry[1] end
end
if #removed > 0 then redis.call('XDEL', LOG, unpack(removed)) end
for _, subject in ipairs(order) do save(subject) end
local reply = { whole(#removed), stop < behindText - 1 and 'more' or 'done' }
redis.call('HSET', META, 'cut', whole(stop), 'cutting', token .. ' ' .. reply[1] .. ' ' .. reply[2])
return reply
`;

/** Cursor of HSCAN. Gives up to which number the log was cut, the next cursor, then names and texts. */
export const CHECKPOINT = script(['checkpoint'])`
local found = redis.call('HSCAN', CHECKPOINT, ARGV[4], 'COUNT', '200')
local reply = { redis.call('HGET', META, 'cut') or '', found[1] }
for _, text in ipairs(found[2]) do reply[#reply + 1] = text end
return reply
`;
