import { AMOUNTS } from '../lua/amounts.js';
import { WINDOW_USAGE } from '../lua/books.js';
import { CALENDAR } from '../lua/calendar.js';
import { script } from '../lua/opening.js';

/** Organization. */
export const ORGANIZATION_TOTALS = script(
  ['org-books'],
  `
local book = redis.call('HGET', ORG_BOOKS, ARGV[4])
if not book then return { '0', '0', '0' } end
local held, usage, credits = string.match(book, '^(%S+) %S+ %S+ (%S+) (%S+)')
return { credits, usage, held }
`,
);

/** Key, reset or nothing. */
export const KEY_TOTALS = script(
  ['key-books'],
  AMOUNTS,
  CALENDAR,
  WINDOW_USAGE,
  `
local book = redis.call('HGET', KEY_BOOKS, ARGV[4])
if not book then return { '0', '0', '0' } end
local held, usage = string.match(book, '^(%S+) %S+ %S+ (%S+)')
return { usage, held, ARGV[5] == '' and usage or digits(windowUsage(book, ARGV[5])) }
`,
);
