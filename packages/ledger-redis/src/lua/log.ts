/**
 * Appending to the log: a stream whose ids are numbers counted from 1. The numbers that concern an organization or a key are written down in its
 * book.
 *
 * A clock may be set back, so times need not rise along the log. What rises is the stamp: the latest time seen so far, kept with an entry
 * where it differs from its own. By it a time is searched; `behind` is the most any entry was behind it.
 */
export const LOG = `
if now > stamp then stamp = now end
if stamp - now > behind then behind = stamp - now end

local entriesBefore, written = entries, {}
local stampText = ''
if stamp ~= now then stampText = whole(stamp) end

-- The counters it concerns, of which those of a key may be absent; then its fields. A tag comes after the model, in a line of its own, and the ids of budgets, if any,
-- after the key, each behind a space. Adds it to the sums.
local function append(organization, key, kind, id, amountText, model, tag, provider, detail, budgets)
  entries = entries + 1
  local number, served, keyId = whole(entries), model, key and key.id or ''
  if tag ~= '' or string.find(model, '\\n', 1, true) then served = model .. '\\n' .. tag end
  written[#written + 1] = { number .. '-0', 'k', kind, 'i', id, 'o', organization.id, 'y', keyId .. budgets, 'a', amountText,
    't', nowText, 's', stampText, 'm', served, 'p', provider, 'd', detail }
  listEntry(organization, number)
  if key then listEntry(key, number) end
  sumEntry(kind, organization.id, keyId, amountText, now, model, tag, detail, budgets)
end

local function saveLog()
  if entries == entriesBefore then return end
  for place = 1, #written do redis.call('XADD', LOG, unpack(written[place])) end
  redis.call('HSET', META, 'log', whole(entries) .. ' ' .. whole(stamp) .. ' ' .. whole(behind))
  saveSumNames()
  entriesBefore = entries
end
`;

/** What an organization used the ids of its grants and adjustments for. Ids have no spaces. */
export const USES = `
-- The reply to a grant or an adjustment whose id was used before, or nothing. An owner is a key and ids of budgets, as in the log.
local function repeated(kind, key, id, organizationId, owner, amountText)
  local use = redis.call('HGET', key, organizationId .. ' ' .. id)
  if not use then return nil end
  local attempt, number = string.match(use, '^(%S+) (%d+)$')
  local earlier = redis.call('XRANGE', LOG, number .. '-0', number .. '-0')[1][2]
  if earlier[8] == owner and earlier[10] == amountText then return { attempt == token and '1' or '0' } end
  return refuse('duplicate_' .. kind, kind .. 'Id: "' .. id .. '" was used before with other arguments')
end

local function noteUse(key, organizationId, id) redis.call('HSET', key, organizationId .. ' ' .. id, token .. ' ' .. whole(entries)) end
`;
