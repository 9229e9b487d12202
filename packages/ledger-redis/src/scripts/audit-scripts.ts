import { AMOUNTS } from '../lua/amounts.js';
import { HOLDS } from '../lua/holds.js';
import { type Script, script } from '../lua/opening.js';
import { READING } from './log-scripts.js';
import { BOUNDS, BY_KEY, READING_SUMS } from './usage-scripts.js';

function subjectsIn(books: 'org-counters' | 'key-counters', pattern: string): Script {
  return script([books])`
local found = redis.call('HSCAN', KEYS[2], ARGV[4], 'COUNT', '200')
local reply = { found[1] }
for index = 1, #found[2], 2 do
  local id = found[2][index]
  if string.find(id, '${pattern}') then reply[#reply + 1] = id end
end
return reply
`;
}

/** By kind. Cursor of HSCAN. Gives the next cursor, then ids: what has a book. */
export const SUBJECTS = {
  organization: subjectsIn('org-counters', '^%S+$'),
  key: subjectsIn('key-counters', '^%S+$'),
  budget: subjectsIn('key-counters', '^%S+ %S+$'),
} as const;

/**
 * One consistent view of some subjects: `organization`, `key` or `budget`, up to where the log was cut when the caller began, the number of the last entry it
 * has seen, how many more it can be given at once, the ids. Gives the number of the last entry, how many follow here, and the time; those entries; for every
 * id the text of its book. Where too many entries are new, it gives only the first figure and -1. `cut` where the log was cut since.
 */
export const VIEW = script(['log', 'org-counters', 'key-counters'])`${READING}
local kind, cut, seen, most = ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
if (redis.call('HGET', META, 'cut') or '') ~= cut then return { 'cut' } end
if entries - seen > most then return { whole(entries), '-1', nowText } end
local reply = { whole(entries), whole(entries - seen), nowText }
for number = seen + 1, entries do flatten(reply, fieldsOf(number)) end
local books = kind == 'organization' and ORG_COUNTERS or KEY_COUNTERS
for index = 8, #ARGV do reply[#reply + 1] = redis.call('HGET', books, ARGV[index]) or '' end
return reply
`;

/**
 * `organization` or `key`, id. Gives its usage by its book, nothing, then the sums that tell of it as READ_SUMS does: of an organization by day, of a key by month, of
 * either those of days that are not packed.
 */
export const SUMS_OF = script(['sums', 'sum-names', 'org-counters', 'key-counters'])`${BOUNDS}${READING_SUMS}
local kind, id = ARGV[4], ARGV[5]
local letters, view, owners = { 'o', 'O', 'd' }, '', { id .. ' ' }
if kind == 'key' then
  letters, view, owners = { 'm', 'M', 'd' }, '${BY_KEY}', {}
  for _, organizationId in ipairs(organizationsOf(id)) do owners[#owners + 1] = organizationId .. ' ' .. id .. ' ' end
end

for _, letter in ipairs(letters) do
  for _, owner in ipairs(owners) do
    local low = '[' .. letter
    while low do low = readSpan(low, '(' .. string.char(string.byte(letter) + 1), owner, view, 1000) end
  end
end
flush()
local books = kind == 'key' and KEY_COUNTERS or ORG_COUNTERS
local book = redis.call('HGET', books, id)
reply[1] = book and string.match(book, '^%S+ %S+ %S+ (%S+)') or '0'
return reply
`;

/**
 * What open holds add up to, at one moment: for every subject that has one, and for those asked about, as pairs of
 * `organization`, `key` or `budget` and id. Gives how many holds are open; then kind and id, and of what is held and of the places what its book says and what its
 * open holds add up to.
 */
export const HELD = script(['open', 'holds', 'org-counters', 'key-counters'])`${AMOUNTS}${HOLDS}
local order, sums = {}, {}
local function add(kind, id, text, places)
  local name = kind .. ' ' .. id
  local sum = sums[name]
  if not sum then
    sum = { kind = kind, id = id, held = 0, inFlight = 0 }
    order[#order + 1], sums[name] = sum, sum
  end
  sum.held, sum.inFlight = sum.held + amount(text), sum.inFlight + places
end

local open = redis.call('ZCARD', OPEN) - 1
for _, id in ipairs(redis.call('ZRANGE', OPEN, '0', '-1')) do
  local text = id ~= '' and redis.call('HGET', HOLDS, id)
  local hold = text and readHold(id, text)
  if hold and hold.isOpen then
    add('organization', hold.organizationId, hold.amount, hold.places)
    add('key', hold.keyId, hold.amount, hold.places)
    for budget in string.gmatch(hold.budgets, '%S+') do add('budget', hold.organizationId .. ' ' .. budget, hold.amount, 0) end
  end
end
for index = 4, #ARGV, 2 do add(ARGV[index], ARGV[index + 1], '0', 0) end

local reply = { whole(open) }
for _, sum in ipairs(order) do
  local books = sum.kind == 'organization' and ORG_COUNTERS or KEY_COUNTERS
  local held, inFlight = string.match(redis.call('HGET', books, sum.id) or '0 0', '^(%S+) (%S+)')
  if sum.kind == 'budget' then inFlight = '0' end
  for _, text in ipairs({ sum.kind, sum.id, held, digits(sum.held), inFlight, whole(sum.inFlight) }) do
    reply[#reply + 1] = text
  end
end
return reply
`;
