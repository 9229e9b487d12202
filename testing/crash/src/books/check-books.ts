import type { DurableLedger } from '@searchgate/core/ledger';
import type { Evidence } from './evidence.js';
import { type Books, readBooks } from './read-books.js';
import { RULES } from './rules.js';

/** What a ledger says, and everything that is wrong with it. */
export interface CheckedBooks extends Books {
  /** The first records that break each rule, by its name: empty for books that are right. */
  readonly problems: Readonly<Record<string, readonly string[]>>;
}

const SHOWN_PER_RULE = 5;

/** Holds a ledger against what its callers and its upstream have seen. Nobody may be writing meanwhile. */
export async function checkBooks(ledger: DurableLedger, evidence: Evidence): Promise<CheckedBooks> {
  const books = await readBooks(ledger, evidence);
  const broken = Object.entries(RULES).flatMap(([name, rule]) => {
    const found = rule(books, evidence);
    const more = found.length > SHOWN_PER_RULE ? [`and ${found.length - SHOWN_PER_RULE} more`] : [];
    return found.length === 0 ? [] : [[name, [...found.slice(0, SHOWN_PER_RULE), ...more]] as const];
  });
  return { ...books, problems: Object.fromEntries(broken) };
}
