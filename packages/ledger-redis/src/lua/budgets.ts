import { MAX_BUDGETS } from '@searchgate/core/ledger';
import { NO_KEY } from './books.js';

/*
 * Counters of budgets are books of keys (KEY_BOOK) under the organization and the id with a space between, which no id of a key has. In the place of the slots they say
 * whether they are kept, 1 or 0; they have no rate, and list no entries. Under the organization and a space alone is how many counters it has.
 *
 * A new counter is put into `idle-budgets`, under the present day, and is looked at there until it is kept or forgotten: see FORGET_BUDGETS. One that a late settle
 * makes again, after it was forgotten, is not counted and stays.
 *
 * Each closure of a script takes its time, so scripts that most calls run have only `budgetsOf`.
 */

/** The books of the budgets of a hold or an adjustment. */
export const BUDGET_BOOKS = `
local NO_BUDGETS = {}
local function budgetsOf(organizationId, ids)
  if ids == '' then return NO_BUDGETS end
  local budgets = {}
  for id in string.gmatch(ids, '%S+') do budgets[#budgets + 1] = keyBook(organizationId .. ' ' .. id) end
  return budgets
end
`;

/** Makes counters. */
export const NEW_BUDGETS = `
local newBudgets = {}

-- The names of those that have no counter; then a refusal where there would be too many.
local function namesOfNew(organizationId, ids)
  local names = {}
  for id in string.gmatch(ids, '%S+') do
    local name = organizationId .. ' ' .. id
    if not textOf(keyBooks, name) then names[#names + 1] = name end
  end
  if #names == 0 or #names + (textOf(keyBooks, organizationId .. ' ') or 0) <= ${MAX_BUDGETS} then return names end
  return names, refuse('too_many_budgets', 'budgets: an organization can have ${MAX_BUDGETS} budgets')
end

local function countNew(organizationId, names)
  if #names == 0 then return end
  local today, count = whole(math.floor(now / 86400000)), #newBudgets
  change(keyBooks, organizationId .. ' ', whole(#names + (textOf(keyBooks, organizationId .. ' ') or 0)))
  for place = 1, #names do newBudgets[count + 2 * place - 1], newBudgets[count + 2 * place] = today, names[place] end
end

local function saveNewBudgets()
  if #newBudgets > 0 then redis.call('ZADD', IDLE_BUDGETS, unpack(newBudgets)) end
end
`;

/**
 * What a hold asks for, as one text: a line with the ids as the hold keeps them, each behind a space; then, for each in the order of the request, a line of its id, its
 * limit or `-`, its reset or nothing, and whether it is kept, 1 or 0.
 */
export const ASKED_BUDGETS = `${NEW_BUDGETS}
local function readBudget(organizationId, id, limit, reset, isKept)
  local name = organizationId .. ' ' .. id
  local text = textOf(keyBooks, name) or '${NO_KEY}'
  local heldText, wasKept, rest, usageText = string.match(text, '^(%S+) (%S+) (%S+ (%S+).*)$')
  return { id = id, name = name, text = text, rest = rest, reset = reset, limit = limit ~= '-' and limit,
    heldText = heldText, held = amount(heldText), isKept = wasKept == '1' and wasKept or isKept,
    usage = reset == '' and amount(usageText) or windowUsage(text, reset) }
end

local function readBudgets(organizationId, text)
  local budgets = { ids = string.match(text, '^[^\\n]*') }
  for id, limit, reset, isKept in string.gmatch(text, '\\n(%S+) (%S+) (%a*) (%d)') do
    budgets[#budgets + 1] = readBudget(organizationId, id, limit, reset, isKept)
  end
  return budgets
end

-- The first that has no room.
local function refusingBudget(budgets, required, withoutHolds)
  for place = 1, #budgets do
    local budget = budgets[place]
    local used = withoutHolds and budget.usage or budget.usage + budget.held
    if budget.limit and exceeds(used + required, budget.limit) then return budget end
  end
end

local function budgetsFit(budgets, amountHeld)
  for place = 1, #budgets do
    if not fits(budgets[place].held + amountHeld) then return false end
  end
  return true
end

local function holdInBudgets(budgets, amountHeld)
  for place = 1, #budgets do
    local budget = budgets[place]
    change(keyBooks, budget.name, digits(budget.held + amountHeld) .. ' ' .. budget.isKept .. ' ' .. budget.rest)
  end
end
`;
