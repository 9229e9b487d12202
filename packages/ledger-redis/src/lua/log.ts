/**
 * Appending to the log: a stream whose ids are numbers counted from 1, and per organisation and key a list of the numbers that concern it.
 *
 * A clock may be set back, so times need not rise along the log. What rises is the stamp: the latest time seen so far, kept with an entry
 * where it differs from its own. By it a time is searched; `behind` is the most any entry was behind it.
 */
export const LOG = `
local entries, stamp, behind = tonumber(meta[2] or '0'), tonumber(meta[3] or '0'), tonumber(meta[4] or '0')
if now > stamp then stamp = now end
if stamp - now > behind then behind = stamp - now end

local nowText, stampText = whole(now), ''
if stamp ~= now then stampText = whole(stamp) end

local function append(kind, id, organizationId, keyId, amountText, model, provider, detail)
  entries = entries + 1
  local number = whole(entries)
  redis.call('XADD', base .. 'log', number .. '-0', 'k', kind, 'i', id, 'o', organizationId, 'y', keyId, 'a', amountText,
    't', nowText, 's', stampText, 'm', model, 'p', provider, 'd', detail)
  redis.call('RPUSH', base .. 'log-of-org:' .. organizationId, number)
  if keyId ~= '' then redis.call('RPUSH', base .. 'log-of-key:' .. keyId, number) end
end

local function closeLog()
  redis.call('HSET', KEYS[1], 'entries', whole(entries), 'stamp', whole(stamp), 'behind', whole(behind))
end
`;
