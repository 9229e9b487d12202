import { MAX_BUDGETS } from '@searchgate/core/ledger';
import { NO_KEY } from './books.js';

/**
 * Counters of budgets, in `budget-counters` by organization and id with a space between. Each is the book of a key without slots, a rate and a list of entries: see KEY_BOOK.
 * In the place of the slots it says whether it is kept, 1 or 0. By the organization alone is how many of its counters there are.
 *
 * Those that are not kept are in `idle-budgets`, by the latest day on which they were touched: see FORGET_BUDGETS.
 *
 * Most calls have no budgets: what those need is made when the first one comes up.
 *
 * @param functions further ones, which work on `books`.
 */
function budgetsInHand(functions: string): string {
  return `
local Budgets
local function makeBudgets()
  local books = hashInHand(BUDGET_COUNTERS)
  Budgets = { books = books }

  function Budgets.names(named)
    local names = {}
    for place = 1, #named, 2 do
      for id in string.gmatch(named[place + 1], '%S+') do names[#names + 1] = named[place] .. ' ' .. id end
    end
    return names
  end

  -- How many of these are new, and how many there are.
  local function countNew(organizationId, ids)
    local more = 0
    for id in string.gmatch(ids, '%S+') do
      if not textOf(books, organizationId .. ' ' .. id) then more = more + 1 end
    end
    return more, tonumber(textOf(books, organizationId) or 0)
  end

  -- Why these cannot be touched, or nothing.
  function Budgets.refusal(organizationId, ids)
    local more, count = countNew(organizationId, ids)
    if more == 0 or count + more <= ${MAX_BUDGETS} then return nil end
    return refuse('too_many_budgets', 'budgets: an organization can have ${MAX_BUDGETS} budgets')
  end

  -- Before new ones are changed.
  function Budgets.count(organizationId, ids)
    local more, count = countNew(organizationId, ids)
    if more > 0 then change(books, organizationId, whole(count + more)) end
  end

  function Budgets.save()
    local words, idle, today = books[2], {}, whole(math.floor(now / 86400000))
    for place = 1, #words, 2 do
      if string.find(words[place + 1], '^%S+ 0 ') then idle[#idle + 1], idle[#idle + 2] = today, words[place] end
    end
    if #idle > 0 then redis.call('ZADD', IDLE_BUDGETS, unpack(idle)) end
  end
${functions}
end
`;
}

/** Changes those of a hold that ends, or of an adjustment, behind KEY_BOOK. */
export const SPENT_BUDGETS = `${budgetsInHand(`
  function Budgets.of(organizationId, ids)
    local found = {}
    for id in string.gmatch(ids, '%S+') do found[#found + 1] = keyBook(organizationId .. ' ' .. id, books) end
    return found
  end
`)}
local NO_BUDGETS = {}

local function budgetsOf(organizationId, ids)
  if ids == '' then return NO_BUDGETS end
  if not Budgets then makeBudgets() end
  return Budgets.of(organizationId, ids)
end

-- Without a key where there is none.
local function saveBooks(organization, key, budgets, ids)
  saveOrganization(organization)
  if key then saveKey(key) end
  if ids == '' then return end
  Budgets.count(organization.id, ids)
  for place = 1, #budgets do saveKey(budgets[place]) end
end
`;

/**
 * Reads and changes those that a hold asks for, behind WINDOW_USAGE and CALENDAR. Its text is a line with the ids as the hold keeps them, each behind a space, and
 * for each in the order of the request a line of its id, its limit or `-`, its reset or nothing, and whether it is kept, 1 or 0.
 */
export const ASKED_BUDGETS = budgetsInHand(`
  local function readBudget(organizationId, id, limit, reset, isKept)
    local name = organizationId .. ' ' .. id
    local text = textOf(books, name) or '${NO_KEY}'
    local heldText, wasKept, rest, usageText = string.match(text, '^(%S+) (%S+) (%S+ (%S+).*)$')
    return { id = id, name = name, text = text, rest = rest, reset = reset, limit = limit ~= '-' and limit,
      heldText = heldText, held = amount(heldText), isKept = wasKept == '1' and wasKept or isKept,
      usage = reset == '' and amount(usageText) or windowUsage(text, reset) }
  end

  function Budgets.read(organizationId, text)
    local asked = { ids = string.match(text, '^[^\\n]*') }
    for id, limit, reset, isKept in string.gmatch(text, '\\n(%S+) (%S+) (%a*) (%d)') do
      asked[#asked + 1] = readBudget(organizationId, id, limit, reset, isKept)
    end
    return asked
  end

  -- The first that has no room.
  function Budgets.refusing(asked, required, withoutHolds)
    for place = 1, #asked do
      local budget = asked[place]
      local used = withoutHolds and budget.usage or budget.usage + budget.held
      if budget.limit and exceeds(used + required, budget.limit) then return budget end
    end
  end

  function Budgets.fit(asked, amountHeld)
    for place = 1, #asked do
      if not fits(asked[place].held + amountHeld) then return false end
    end
    return true
  end

  function Budgets.hold(organizationId, asked, amountHeld)
    Budgets.count(organizationId, asked.ids)
    for place = 1, #asked do
      local budget = asked[place]
      change(books, budget.name, digits(budget.held + amountHeld) .. ' ' .. budget.isKept .. ' ' .. budget.rest)
    end
  end
`);
