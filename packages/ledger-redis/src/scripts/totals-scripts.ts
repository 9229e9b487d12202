import { AMOUNTS } from '../lua/amounts.js';
import { LIMIT_USAGE } from '../lua/books.js';
import { CALENDAR } from '../lua/calendar.js';
import { script } from '../lua/opening.js';

/** Organization. */
export const ORGANIZATION_TOTALS = script(
  ['org-books'],
  `
local book = redis.call('HGET', ORG_BOOKS, ARGV[4])
if not book then return { '0', '0', '0' } end
local held, usage, credits = string.match(book, '^(%S+) (%S+) (%S+)')
return { credits, usage, held }
`,
);

/** Key, reset or nothing. */
export const KEY_TOTALS = script(
  ['key-books'],
  AMOUNTS,
  CALENDAR,
  LIMIT_USAGE,
  `
local book = redis.call('HGET', KEY_BOOKS, ARGV[4])
if not book then return { '0', '0', '0' } end
return { digits(limitUsage(book, '')), string.match(book, '^%S+'), digits(limitUsage(book, ARGV[5])) }
`,
);
