import { AMOUNTS } from '../lua/amounts.js';
import { NO_KEY, WINDOW_USAGE } from '../lua/books.js';
import { CALENDAR } from '../lua/calendar.js';
import { script } from '../lua/opening.js';

/** Organization. */
export const ORGANIZATION_TOTALS = script(
  ['org-counters'],
  `
local book = redis.call('HGET', ORG_COUNTERS, ARGV[4])
if not book then return { '0', '0', '0' } end
local held, usage, credits = string.match(book, '^(%S+) %S+ %S+ (%S+) (%S+)')
return { credits, usage, held }
`,
);

/** Key, reset or nothing. Gives when its window ends, too; nothing for all time. */
export const KEY_TOTALS = script(
  ['key-counters'],
  AMOUNTS,
  CALENDAR,
  WINDOW_USAGE,
  `
local book, reset = redis.call('HGET', KEY_COUNTERS, ARGV[4]) or '${NO_KEY}', ARGV[5]
local held, usage = string.match(book, '^(%S+) %S+ %S+ (%S+)')
return { usage, held, reset == '' and usage or digits(windowUsage(book, reset)), resetsAt(book, reset) }
`,
);
