import { firstDayOf, monthOfDay } from '@searchgate/core/ledger';
import { redisLedger } from '@searchgate/ledger-redis';
import type { Redis } from 'ioredis';
import type { FillSize } from './fill-size.js';

const DAY_MS = 86_400_000;
/** What one script writes. */
const ENTRIES_AT_ONCE = 20_000;
const CREDITS = 2n ** 60n;

/**
 * Charges of one day, in the form in which the scripts of the ledger write them. Books are read and saved once, and sums are added up first, which is ten times as
 * fast as settling. Arguments: the day, the first day of its month; the number of the first charge, how many there are, the time of the first one, the
 * time between two; keys, organizations, models.
 */
const FILL_DAY = `
local META, LOG, INDEX, ORG_BOOKS, KEY_BOOKS, SUMS, SUM_NAMES = unpack(KEYS)
local day, monthFirst, first, count, atMs, stepMs, keys, organizations, models = unpack(ARGV)
local function whole(number) return string.format('%.0f', number) end
local entries = tonumber(string.match(redis.call('HGET', META, 'log'), '^%d+'))
local books, sums, stamp = {}, {}, nil

local function bookOf(kind, key, id)
  local name = kind .. ' ' .. id
  if books[name] then return books[name] end
  local text = redis.call('HGET', key, id) or '0 0 - 0 0 0 0 0 0 '
  local front, usage, middle, size, numbers = string.match(text, '^(%S+ %S+ %S+) (%S+) (.-) ?(%d+) ([%d,]*)$')
  local book = { name = name, key = key, id = id, front = front, usage = tonumber(usage), middle = middle, size = tonumber(size), numbers = {} }
  for number in string.gmatch(numbers, '%d+') do book.numbers[#book.numbers + 1] = number end
  books[name] = book
  return book
end

local function list(book, number)
  book.size, book.numbers[#book.numbers + 1] = book.size + 1, number
  if #book.numbers < 16 then return end
  redis.call('HSET', INDEX, book.name .. ' ' .. whole(book.size / 16 - 1), table.concat(book.numbers, ','))
  book.numbers = {}
end

local function enterDay(key)
  local latest, beforeDay, beforeWeek, beforeMonth = string.match(key.middle, '^(%d+) (%S+) (%S+) (%S+)$')
  latest = tonumber(latest)
  if latest == tonumber(day) then return end
  if day - (day + 3) % 7 > latest then beforeWeek = whole(key.usage) end
  if tonumber(monthFirst) > latest then beforeMonth = whole(key.usage) end
  key.middle = table.concat({ day, whole(key.usage), beforeWeek, beforeMonth }, ' ')
end

for charge = tonumber(first), first + count - 1 do
  entries = entries + 1
  local number, keyNumber = whole(entries), charge % keys
  local organizationId, keyId = string.format('organization-%.0f', keyNumber % organizations), string.format('key-%.0f', keyNumber)
  local model = string.format('provider/model-%.0f', (keyNumber + math.floor(charge / keys)) % models)
  stamp = whole(math.floor(atMs + (charge - first) * stepMs))
  redis.call('XADD', LOG, number .. '-0', 'k', 'charge', 'i', string.format('hold-%020.0f', charge), 'o', organizationId, 'y', keyId,
    'a', '5000000', 't', stamp, 's', '', 'm', model, 'p', 'provider', 'd', 'flat 4000000')
  local organization, key = bookOf('org', ORG_BOOKS, organizationId), bookOf('key', KEY_BOOKS, keyId)
  enterDay(key)
  for _, book in ipairs({ organization, key }) do
    book.usage = book.usage + 5000000
    list(book, number)
  end
  local name = string.format('d%07.0f %s %s %s\\t', day, organizationId, keyId, model)
  sums[name] = (sums[name] or 0) + 1
  if charge < tonumber(keys) then redis.call('ZADD', SUM_NAMES, '0', 'k' .. keyId .. ' ' .. organizationId) end
end

for _, book in pairs(books) do
  redis.call('HSET', book.key, book.id, book.front .. ' ' .. whole(book.usage) .. ' ' .. book.middle .. ' ' .. whole(book.size) .. ' ' ..
    table.concat(book.numbers, ','))
end
for name, charges in pairs(sums) do
  local before, charged, owed, rest = string.match(redis.call('HGET', SUMS, name) or '0 0 0', '^(%d+) (%d+) (%d+)(.*)$')
  redis.call('HSET', SUMS, name,
    whole(before + charges) .. ' ' .. whole(charged + charges * 5000000) .. ' ' .. whole(owed + charges * 4000000) .. rest)
  redis.call('ZADD', SUM_NAMES, '0', name)
end
redis.call('HSET', META, 'log', whole(entries) .. ' ' .. stamp .. ' 0')
return whole(entries)
`;

const FILLED_KEYS = ['meta', 'log', 'index', 'org-books', 'key-books', 'sums', 'sum-names'];

/** Makes a ledger of which every counter is right: an audit finds no difference. @param prefix of a ledger that does not exist yet. */
export async function fillRedis(client: Redis, options: FillSize, prefix = 'searchgate'): Promise<void> {
  const { entries, days, keys, organizations, models } = options;
  const endMs = Date.now();
  const startMs = (Math.floor(endMs / DAY_MS) - days + 1) * DAY_MS;
  const clock = { now: () => startMs, monotonic: () => startMs, schedule: () => () => {} };
  const early = redisLedger({ client, prefix, clock });
  await early.migrate();
  for (let index = 0; index < organizations; index += 1) {
    const organizationId = `organization-${index}`;
    await early.grant({ grantId: organizationId, organizationId, amount: CREDITS, note: '' });
  }
  const charges = entries - organizations;
  const stepMs = (endMs - startMs) / charges;
  const names = FILLED_KEYS.map((key) => `{${prefix}}:${key}`);
  for (let first = 0; first < charges; ) {
    const atMs = startMs + first * stepMs;
    const day = Math.floor(atMs / DAY_MS);
    const untilMidnight = Math.ceil(((day + 1) * DAY_MS - atMs) / stepMs);
    const count = Math.min(ENTRIES_AT_ONCE, untilMidnight, charges - first);
    const of = [day, firstDayOf(monthOfDay(day)), first, count, atMs, stepMs, keys, organizations, models];
    await client.eval(FILL_DAY, names.length, ...names, ...of.map(String));
    first += count;
  }
  // Packs the sums of days that are over.
  await redisLedger({ client, prefix }).migrate();
}
