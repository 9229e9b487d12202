import { AMOUNTS } from '../lua/amounts.js';
import { HOLDS } from '../lua/holds.js';
import { type Script, script } from '../lua/opening.js';
import { READING } from './log-scripts.js';

function subjectsIn(books: 'org-books' | 'key-books'): Script {
  return script(
    [books],
    `
local found = redis.call('HSCAN', KEYS[2], ARGV[4], 'COUNT', '200')
local reply = { found[1] }
for index = 1, #found[2], 2 do
  local id = found[2][index]
  if id ~= '' then reply[#reply + 1] = id end
end
return reply
`,
  );
}

/** By kind. Cursor of HSCAN. Gives the next cursor, then ids: what has a book. */
export const SUBJECTS = { organization: subjectsIn('org-books'), key: subjectsIn('key-books') } as const;

/**
 * One consistent view of some subjects: `organization` or `key`, how many entries the caller has seen, how many more it can be given at once, the ids.
 * Gives how many entries there are and how many of them follow here; those entries; for every id the text of its book. Where too many
 * entries are new, it gives only the first figure and -1.
 */
export const VIEW = script(
  ['log', 'org-books', 'key-books'],
  READING,
  `
local kind, seen, most = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
if entries - seen > most then return { whole(entries), '-1' } end
local reply = { whole(entries), whole(entries - seen) }
for number = seen + 1, entries do flatten(reply, fieldsOf(number)) end
local books = kind == 'organization' and ORG_BOOKS or KEY_BOOKS
for index = 7, #ARGV do reply[#reply + 1] = redis.call('HGET', books, ARGV[index]) or '' end
return reply
`,
);

/**
 * What open holds add up to, at one moment: for every subject that has one, and for those asked about, as pairs of
 * `organization` or `key` and id. Gives how many holds are open; then kind, id, what its book says and what its open holds add up to.
 */
export const HELD = script(
  ['open', 'holds', 'org-books', 'key-books'],
  AMOUNTS,
  HOLDS,
  `
local order, held = {}, {}
local function add(kind, id, text)
  local name = kind .. ' ' .. id
  if not held[name] then
    order[#order + 1] = { kind, id, name }
    held[name] = 0
  end
  held[name] = held[name] + amount(text)
end

local open = redis.call('ZCARD', OPEN) - 1
for _, id in ipairs(redis.call('ZRANGE', OPEN, '0', '-1')) do
  local hold = id ~= '' and holdOf(id)
  if hold and hold.status == 'open' then
    add('organization', hold.organizationId, hold.amount)
    add('key', hold.keyId, hold.amount)
  end
end
for index = 4, #ARGV, 2 do add(ARGV[index], ARGV[index + 1], '0') end

local reply = { whole(open) }
for _, subject in ipairs(order) do
  local kind, id, name = unpack(subject)
  local books = kind == 'organization' and ORG_BOOKS or KEY_BOOKS
  local book = redis.call('HGET', books, id) or '0'
  for _, text in ipairs({ kind, id, string.match(book, '^%S+'), digits(held[name]) }) do reply[#reply + 1] = text end
end
return reply
`,
);
