import { OPENING } from '../lua/opening.js';
import { READING } from './log-scripts.js';

/** `orgs` or `keys`, cursor of SSCAN. Gives the next cursor, then ids: what has counters. */
export const SUBJECTS = `${OPENING}
local found = redis.call('SSCAN', base .. ARGV[4], ARGV[5], 'COUNT', '200')
local reply = { found[1] }
for _, id in ipairs(found[2]) do reply[#reply + 1] = id end
return reply
`;

/**
 * One consistent view of some subjects: `org` or `key`, how many entries the caller has seen, how many more it can be given at once, the ids.
 * Gives how many entries there are, how many of them follow here, how many holds are open; those entries; for every id its counters; and
 * for every open hold of one of them its id and amount. Where too many entries are new, it gives nothing but the first figure and -1.
 */
export const VIEW = `${OPENING}${READING}
local kind, seen, most = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local total = tonumber(meta[2] or '0')
if total - seen > most then return { whole(total), '-1', '0' } end
local open = redis.call('ZRANGE', base .. 'open', 0, -1)
local reply = { whole(total), whole(total - seen), whole(#open) }
for number = seen + 1, total do flatten(reply, fieldsOf(number)) end

local wanted = {}
for index = 7, #ARGV do
  wanted[ARGV[index]] = true
  local counters = redis.call('HMGET', base .. kind .. ':' .. ARGV[index], 'held', 'usage', 'credits',
    'daily', 'dailyAt', 'weekly', 'weeklyAt', 'monthly', 'monthlyAt')
  for field = 1, 9 do reply[#reply + 1] = counters[field] or '0' end
end

for _, id in ipairs(open) do
  local text = redis.call('GET', base .. 'hold:' .. id) or ''
  local amountText, organizationId, keyId = string.match(text, '^open %S+ (%S+) (%S+) (%S+)')
  local owner = kind == 'org' and organizationId or keyId
  if owner and wanted[owner] then
    reply[#reply + 1] = owner
    reply[#reply + 1] = amountText
  end
end
return reply
`;
