import { AMOUNTS } from '../lua/amounts.js';
import { NO_KEY, RESETS_AT, WINDOW_USAGE } from '../lua/books.js';
import { CALENDAR } from '../lua/calendar.js';
import { script } from '../lua/opening.js';

/** Organization. */
export const ORGANIZATION_TOTALS = script(['org-counters'])`
local book = redis.call('HGET', ORG_COUNTERS, ARGV[4])
if not book then return { '0', '0', '0' } end
local held, usage, credits = string.match(book, '^(%S+) %S+ %S+ (%S+) (%S+)')
return { credits, usage, held }
`;

/**
 * Keys, or budgets as an organization and an id with a space between; a reset or nothing behind each. Gives for each its usage, what it holds, its usage in
 * the window, and when that ends, or nothing.
 */
export const KEY_TOTALS = script(['key-counters'])`${AMOUNTS}${CALENDAR}${WINDOW_USAGE}${RESETS_AT}
local reply = {}
for index = 4, #ARGV, 2 do
  local book, reset = redis.call('HGET', KEY_COUNTERS, ARGV[index]) or '${NO_KEY}', ARGV[index + 1]
  local held, usage = string.match(book, '^(%S+) %S+ %S+ (%S+)')
  local count = #reply
  reply[count + 1], reply[count + 2] = usage, held
  reply[count + 3], reply[count + 4] = reset == '' and usage or digits(windowUsage(book, reset)), resetsAt(book, reset)
end
return reply
`;
