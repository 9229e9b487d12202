import { MAX_TAGGED_ROWS } from '@searchgate/core/ledger';

/**
 * The sums of `usage`. Each is a field of `sums`, found by its name in `sum-names`, which is in the order of bytes. A name is:
 *
 * - a letter and seven digits: `d` and a day since the Unix epoch, `m` and a month, or `o` and a day for the sums of a whole organization;
 * - organization, key, model and tag, separated by spaces and, before the tag, by a tab. A grant has no key and no model. Behind `\1`, ids of budgets with spaces
 *   between, where there are any.
 *
 * So ids come first, which have no spaces, and then the model, whose control characters are escaped.
 *
 * An entry is added to the sum of its day alone. Sums of days that are over are taken together later, by `PACK`: then they are added to those by month and by
 * organization, and kept in packs, whose names begin with a capital letter. So the sums of a month are those of `m` and `M`, and those of its days that are
 * still under `d`. There is also a name for each key and organization: `k`, the key, the organization.
 *
 * A sum is how many charges there were, what was charged, and what of it the operator owes. Then, where any of these was ever counted: how many charges
 * were for an answer that was there already, what was charged for those, what was adjusted, granted and lost. No counter bounds all of them, so they are
 * texts of any length and never overflow.
 */
export const SUMS = `
local sums, newNames = hashInHand(SUMS), {}

-- What few entries need is made for them.
local function makeRareSums()
  local rare = {}

  function rare.escaped(model)
    return (string.gsub(model, '[%c\\\\]', function(character) return string.format('\\\\%03d', string.byte(character)) end))
  end

  -- Counts the sums with a tag that a key has on its latest day, so that what callers choose cannot make them as many as entries.
  function rare.takesTag(organizationId, keyId, day)
    local name = 't ' .. organizationId .. ' ' .. keyId
    local latest, count = string.match(textOf(sums, name) or '0 0', '^(%d+) (%d+)$')
    if tonumber(latest) ~= day then count = 0 end
    if tonumber(count) >= ${MAX_TAGGED_ROWS} then return false end
    change(sums, name, whole(day) .. ' ' .. whole(count + 1))
    return true
  end

  -- A figure that comes after those of charges.
  function rare.added(others, kind, more)
    local places = { cachedCharges = 1, cached = 2, adjustment = 3, grant = 4, loss = 5 }
    local texts = {}
    for text in string.gmatch(others ~= '' and others or ' 0 0 0 0 0', '%S+') do texts[#texts + 1] = text end
    texts[places[kind]] = digits(amount(texts[places[kind]]) + more)
    return ' ' .. table.concat(texts, ' ')
  end

  return rare
end

-- That of the latest day asked for is kept: most entries are of today.
local namedDay, nameOfDay
local function dayName(day)
  if day ~= namedDay then namedDay, nameOfDay = day, string.format('d%07.0f ', day) end
  return nameOfDay
end

-- The latest one that needs no escapes.
local plainModel

local function sumEntry(kind, organizationId, keyId, amountText, atMs, model, tag, detail, budgets)
  if kind == 'expired' then return end
  if model ~= plainModel then
    if string.find(model, '[%c\\\\]') then model = makeRareSums().escaped(model) else plainModel = model end
  end
  local day = math.floor(atMs / 86400000)
  local place = dayName(day) .. organizationId .. ' ' .. keyId .. ' ' .. model .. '\\t'
  local ending = budgets == '' and '' or '\\1' .. string.sub(budgets, 2)
  local name = place .. tag .. ending
  local before = textOf(sums, name)
  if not before then
    if tag ~= '' and not makeRareSums().takesTag(organizationId, keyId, day) then
      name = place .. ending
      before = textOf(sums, name)
    end
    if not before then
      local count = #newNames
      newNames[count + 1], newNames[count + 2] = '0', name
      newNames[count + 3], newNames[count + 4] = '0', 'k' .. keyId .. ' ' .. organizationId
    end
  end

  local charges, charged, upstream, others = string.match(before or '0 0 0', '^(%d+) (%S+) (%S+)(.*)$')
  local more = amount(amountText)
  if kind == 'charge' then
    local source, owed = detail, ''
    if string.find(detail, ' ', 1, true) then source, owed = string.match(detail, '^(%a*)[ %a]*(%d*)') end
    charges, charged = whole(charges + 1), digits(amount(charged) + more)
    if owed ~= '' then upstream = digits(amount(upstream) + amount(owed)) end
    if source == 'cached' or source == 'shared' then
      local rare = makeRareSums()
      others = rare.added(rare.added(others, 'cachedCharges', 1), 'cached', more)
    end
  else
    others = makeRareSums().added(others, kind, more)
  end
  change(sums, name, charges .. ' ' .. charged .. ' ' .. upstream .. others)
end

local function saveSumNames()
  for from = 1, #newNames, WORDS_AT_ONCE do
    redis.call('ZADD', SUM_NAMES, unpack(newNames, from, math.min(#newNames, from + WORDS_AT_ONCE - 1)))
  end
end
`;
