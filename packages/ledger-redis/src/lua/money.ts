import { AMOUNTS } from './amounts.js';
import { COUNTING, KEY_BOOK, KEY_COUNTERS, LISTING, ORGANIZATION_BOOK, ORGANIZATION_BOOKS, SPENDING } from './books.js';
import { BUDGET_BOOKS } from './budgets.js';
import { CALENDAR } from './calendar.js';
import { IN_HAND } from './in-hand.js';
import { LOG } from './log.js';
import { SUMS } from './sums.js';

/** What scripts about money are put together from. */
export const MONEY = [AMOUNTS, COUNTING, IN_HAND].join('');

/** Changes the book of an organization, and appends to the log and the sums. */
export const CREDITING = [MONEY, ORGANIZATION_BOOKS, ORGANIZATION_BOOK, LISTING, SUMS, LOG].join('');

/** … and those of a key and of budgets. */
export const WRITING = [CREDITING, KEY_COUNTERS, KEY_BOOK, BUDGET_BOOKS].join('');

/** … by a charge, which counts in windows. */
export const CHARGING = [WRITING, CALENDAR, SPENDING].join('');

/** The keys of CREDITING. */
export const CREDIT_KEYS = ['org-counters', 'log', 'index', 'sums', 'sum-names'] as const;

/** The keys of WRITING and CHARGING. */
export const BOOK_KEYS = [...CREDIT_KEYS, 'key-counters'] as const;
