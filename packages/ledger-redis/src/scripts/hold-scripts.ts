import { ADMISSION, ASKED_BOOKS, RATES } from '../lua/admission.js';
import { RESETS_AT, WINDOW_USAGE } from '../lua/books.js';
import { ASKED_BUDGETS } from '../lua/budgets.js';
import { CALENDAR } from '../lua/calendar.js';
import { ENDING, ENDING_KEYS, ENDING_MANY, GIVE_BACK, LOSSES, SAVE_BOOKS } from '../lua/endings.js';
import { HOLDING_MANY, holding } from '../lua/holds.js';
import { BOOK_KEYS, CHARGING, MONEY, WRITING } from '../lua/money.js';
import { type Script, scriptOfMany } from '../lua/opening.js';

/**
 * Hold id, organization, key, limit or nothing, its reset or nothing, `operator` if it pays or nothing, when it expires, model, tag or nothing, limits of
 * admission, where it is in budgets these as in ASKED_BUDGETS, amounts from the largest to the smallest. Gives `held`, the amount, and the words of the rates;
 * or `refused`, who refuses, those words, the figures of money, and the budget where one refuses.
 */
const HOLD_ONE = `
local id, organizationId, keyId, limit, reset, payer, expiresAtText, model, tag, limitsText = unpack(ARGV, first, first + 9)
${ASKED_BOOKS}
${ADMISSION}
-- What an earlier attempt has done: this one, or another of the same id.
local earlier = holdOf(id)
if earlier and earlier.token ~= token then return refuse('duplicate_hold', 'holdId: "' .. id .. '" was used before') end
if earlier then
  if limited then keyWord, word = wordsOf(limits, keyUsed, used) end
  return { 'held', earlier.amount, keyWord, word }
end

local budgets, withoutCounter, tooMany
if inBudgets then
  budgets = readBudgets(organizationId, ARGV[first + 10])
  withoutCounter, tooMany = namesOfNew(organizationId, budgets.ids)
  if tooMany then return tooMany end
end

local function refused(by, ...)
  if limited then drainRatesFromNow() end
  return { 'refused', by, keyWord, word, ... }
end
if refuser then return refused(refuser) end

local held, usage, keyHeld = amount(heldText), amount(usageText), amount(keyHeldText)
local keyUsage = reset ~= '' and windowUsage(keyText, reset) or amount(keyUsageText)
local function keyRefuses(required) return limit ~= '' and exceeds(keyUsage + keyHeld + required, limit) end
local function exceedsCredits(total) return payer == '' and exceeds(total, creditsText) end

local amountText, amountHeld
for index = first + (inBudgets and 11 or 10), last do
  local required = amount(ARGV[index])
  if not keyRefuses(required) and not (budgets and refusingBudget(budgets, required)) and
    not exceedsCredits(usage + held + required) then
    amountText, amountHeld = ARGV[index], required
    break
  end
end

if not amountText then
  ${RESETS_AT}
  local required = amount(ARGV[last])
  local fitsWithoutHolds = not exceedsCredits(usage + required)
    and (limit == '' or not exceeds(keyUsage + required, limit))
    and not (budgets and refusingBudget(budgets, required, true))
  local free = fitsWithoutHolds and '1' or '0'
  if keyRefuses(required) then return refused('key_limit', limit, digits(keyUsage), keyHeldText, resetsAt(keyText, reset), free) end
  local budget = budgets and refusingBudget(budgets, required)
  if not budget then return refused('organization_credits', creditsText, usageText, heldText, '', free) end
  return refused('budget', budget.limit, digits(budget.usage), budget.heldText, resetsAt(budget.text, budget.reset), free, budget.id)
end

held, keyHeld = held + amountHeld, keyHeld + amountHeld
if not fits(held) or not fits(keyHeld) or budgets and not budgetsFit(budgets, amountHeld) then return refuseOverflow() end
local text = (place == 1 and 'open ' or 'waiting ') .. token .. ' ' .. amountText .. ' ' .. organizationId .. ' ' .. keyId .. ' ' ..
  nowText .. '  ' .. (budgets and budgets.ids or '') .. '\\n' .. tag .. '\\n0 ' .. model
changeHold(id, text)
if limited then
  keyWord, word = wordsOf(limits, keyUsed and keyUsed + 1, used and used + 1)
  keyRate, rate = keyUsed and keyWord or keyRate, used and word or rate
end
change(organizationBooks, organizationId,
  digits(held) .. ' ' .. whole(inFlight + place) .. ' ' .. rate .. ' ' .. restOfOrganization)
change(keyBooks, keyId, digits(keyHeld) .. ' ' .. whole(keyInFlight + place) .. ' ' .. keyRate .. ' ' .. restOfKey)
if budgets then
  countNew(organizationId, withoutCounter)
  holdInBudgets(budgets, amountHeld)
end
opened[#opened + 1], opened[#opened + 2] = whole(tonumber(expiresAtText) + shift), id
if not limited then return { 'held', amountText } end
return { 'held', amountText, keyWord, word }
`;

function holdScript(keys: readonly 'idle-budgets'[], budgets: string): Script {
  const pieces = [MONEY, CALENDAR, WINDOW_USAGE, holding(budgets), RATES];
  return scriptOfMany(['org-counters', 'key-counters', 'holds', 'open', ...keys], pieces, {
    many: HOLDING_MANY,
    operation: HOLD_ONE,
  });
}

/** A hold without budgets, and with some. */
export const HOLD = holdScript([], '');
export const HOLD_IN_BUDGETS = holdScript(['idle-budgets'], ASKED_BUDGETS);

/** Hold id, cost, model, provider, cost source, what of it is owed and what the tenant was billed, or nothing, how long the ending is kept; losses. */
export const SETTLE = scriptOfMany([...BOOK_KEYS, ...ENDING_KEYS], [CHARGING, ENDING, LOSSES], {
  many: ENDING_MANY,
  operation: `
local id, cost, model, provider, source, owed, billed, keepMs = unpack(ARGV, first, first + 7)
local hold = holdOf(id)
if not hold then return unknownHold(id) end
if not canBeEnded(hold) then return endingOf(hold) end
local late = not hold.isOpen
${GIVE_BACK}if not spend(organization, key, budgets, amount(cost)) then return refuseOverflow() end

noLongerOpen[#noLongerOpen + 1] = id
appendLosses(hold, organization, key, first + 8)
local detail = late and source .. ' late' or source
if owed ~= '' then detail = detail .. ' ' .. owed end
-- Version 4 reads what is owed as a number where anything follows.
if billed ~= '' then detail = detail .. (owed == '' and ' -0 ' or ' ') .. billed end
append(organization, key, 'charge', id, cost, model, hold.tag, provider, detail, hold.budgets)
${SAVE_BOOKS}saveEnded(hold, late and 'late' or 'settled', token, cost, provider, model, keepMs)
return { 'settled', cost, '1' }
`,
});

/** Hold id, how long the ending is kept; losses. */
export const RELEASE = scriptOfMany([...BOOK_KEYS, ...ENDING_KEYS], [WRITING, ENDING, LOSSES], {
  many: ENDING_MANY,
  operation: `
local id, keepMs = unpack(ARGV, first, first + 1)
local hold = holdOf(id)
if not hold then return unknownHold(id) end
if not canBeEnded(hold) then return endingOf(hold) end
${GIVE_BACK}noLongerOpen[#noLongerOpen + 1] = id
appendLosses(hold, organization, key, first + 2)
${SAVE_BOOKS}saveEnded(hold, 'released', token, '0', '', modelOf(hold), keepMs)
return { 'released', '0', '1' }
`,
});
