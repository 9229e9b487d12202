import { KEY_COUNTERS, ORGANIZATION_BOOKS } from './books.js';
import { MANY_IN_HAND } from './in-hand.js';

/**
 * Holds, one text each. First words, separated by spaces, which ids cannot hold: the status, a token, an amount, the organization, the key, and three times:
 * when it was made, when it ended and, of one that was ended late, when it is forgotten; then the ids of its budgets, each behind a space. Then a line with
 * the tag. Then who served and which slug ran, with the length of the first in front, since both may be any text.
 *
 * The status is `open`, or `waiting` where it takes no place; `settled`, `released`, `expired`, and `late` where it was settled after it had expired, with
 * what was charged as the amount. One that was released after it had expired is `released`.
 *
 * The token is that of the attempt which made the hold or, in `settled`, `released` and `late`, which ended it: by it an attempt that is repeated knows its
 * own work.
 *
 * What a sweep has done is kept among them too, as `sweep`, a token and a number: see EXPIRE.
 */
export const HOLDS = `
local function readHold(id, text)
  local status, attempt, amountText, organizationId, keyId, madeAt, endedAt, forgetAt, budgets, tag, length, served =
    string.match(text, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%d+) (%d*) (%d*)([^\\n]*)\\n([^\\n]*)\\n(%d+) (.*)$')
  if not status then status, attempt, amountText = string.match(text, '^(sweep) (%S+) (%d+)$') end
  if not status then error('the hold "' .. id .. '" is damaged') end
  return { id = id, status = status, isOpen = status == 'open' or status == 'waiting', places = status == 'open' and 1 or 0,
    token = attempt, amount = amountText, organizationId = organizationId, keyId = keyId, madeAt = madeAt, endedAt = endedAt,
    forgetAt = forgetAt, budgets = budgets, tag = tag, providerLength = length, served = served }
end

local function providerOf(hold) return string.sub(hold.served, 1, hold.providerLength) end
local function modelOf(hold) return string.sub(hold.served, hold.providerLength + 1) end
`;

/** The holds that a script works on: see IN_HAND. */
export const HOLDS_IN_HAND = `
local holds = hashInHand(HOLDS)
local knownHolds = {}

-- Nothing where there is none.
local function holdOf(id)
  local known = knownHolds[id]
  if known then return known end
  local text = textOf(holds, id)
  if not text then return nil end
  known = readHold(id, text)
  knownHolds[id] = known
  return known
end

local function changeHold(id, text)
  change(holds, id, text)
  knownHolds[id] = nil
end

`;

/** What HOLD is put together from: it reads and writes for all its operations. @param budgets ASKED_BUDGETS, or nothing. */
export function holding(budgets: string): string {
  return `${ORGANIZATION_BOOKS}${KEY_COUNTERS}${budgets}${HOLDS}${HOLDS_IN_HAND}
local opened, inBudgets = {}, ${budgets !== ''}

local function save()
  saveHashes()
  ${budgets && 'saveNewBudgets()'}
  if #opened > 0 then redis.call('ZADD', OPEN, unpack(opened)) end
end
`;
}

/** … for many operations. */
export const HOLDING_MANY = `${MANY_IN_HAND}
local function leave()
  leaveHashes()
  knownHolds, opened = {}, {}
end

local function fetchAll(firsts)
  local ids, organizationIds, keyIds, count = {}, {}, {}, #firsts
  for place = 1, #firsts do
    local at = firsts[place]
    ids[place], organizationIds[place], keyIds[place] = ARGV[at], ARGV[at + 1], ARGV[at + 2]
    if inBudgets then
      for id in string.gmatch(string.match(ARGV[at + 10], '^[^\\n]*'), '%S+') do
        count = count + 1
        keyIds[count] = ARGV[at + 1] .. ' ' .. id
      end
    end
  end
  fetch(holds, ids)
  fetch(organizationBooks, organizationIds)
  fetch(keyBooks, keyIds)
end
`;
