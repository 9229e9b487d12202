/** Counts up with every change of what the keys hold or how scripts read them. */
export const SCHEMA_VERSION = '1';

/** Begins the reply of a refusal. Everything else a reply begins with has no space. */
export const REFUSAL = 'refused by';

/**
 * What every script begins with, one read for all of it. Its only key is the ledger's `meta`; the names of the others follow from it and
 * share its hash tag, so that in a Cluster all of them are in one slot.
 *
 * Arguments: 1 the attempt's token, 2 the caller's present moment, 3 `server` where the server's clock rules, or `given` where the caller's
 * does; a script's own follow from 4 on.
 *
 * Replies are flat arrays of texts; one that begins with REFUSAL is a refusal: reason and message.
 */
export const NAMES = `
local base = string.sub(KEYS[1], 1, -5)
local meta = redis.call('HMGET', KEYS[1], 'version', 'entries', 'stamp', 'behind')

local function refuse(reason, message) return { '${REFUSAL}', reason, message } end
local function whole(number) return string.format('%.0f', number) end
`;

/** Refuses to work on keys of another version, and finds out what time it is. `shift` moves a time of the caller's onto the clock that rules. */
export const OPENING = `${NAMES}
if meta[1] ~= '${SCHEMA_VERSION}' then
  return refuse('schema_mismatch', 'expected version ${SCHEMA_VERSION} of the keys of this ledger, found ' .. (meta[1] or 'none: run migrate()'))
end

local token = ARGV[1]
local now, shift = tonumber(ARGV[2]), 0
if ARGV[3] == 'server' then
  local time = redis.call('TIME')
  local own = time[1] * 1000 + math.floor(time[2] / 1000)
  now, shift = own, own - now
end
`;
