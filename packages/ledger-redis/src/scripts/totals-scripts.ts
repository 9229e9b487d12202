import { AMOUNTS } from '../lua/amounts.js';
import { WINDOW_USAGE } from '../lua/books.js';
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
local book, reset = redis.call('HGET', KEY_COUNTERS, ARGV[4]), ARGV[5]
local held, usage, latestDay = '0', '0', 0
if book then held, usage, latestDay = string.match(book, '^(%S+) %S+ %S+ (%S+) (%d+)') end
if reset == '' then return { usage, held, usage, '' } end
local _, windowEnd = calendar()
-- The latest window stays the present one where the clock has been set back.
local resetsAt = whole(windowEnd(reset, math.max(now, latestDay * DAY)))
return { usage, held, book and digits(windowUsage(book, reset)) or '0', resetsAt }
`,
);
