import { AMOUNTS } from './amounts.js';
import { COUNTING, KEY_BOOK, LISTING, ORGANIZATION_BOOK, SPENDING } from './books.js';
import { CALENDAR } from './calendar.js';
import { LOG } from './log.js';

/** What scripts about money are put together from. */
export const MONEY = [AMOUNTS, COUNTING].join('');

/** Changes the book of an organization and appends to the log. */
export const CREDITING = [MONEY, ORGANIZATION_BOOK, LISTING, LOG].join('');

/** … and that of a key. */
export const WRITING = [CREDITING, KEY_BOOK].join('');

/** … by a charge, which counts in windows. */
export const CHARGING = [WRITING, CALENDAR, SPENDING].join('');

/** The keys of WRITING and CHARGING. */
export const BOOK_KEYS = ['org-books', 'key-books', 'log', 'index'] as const;
