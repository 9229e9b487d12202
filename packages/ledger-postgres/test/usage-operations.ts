import type { Ledger } from '@searchgate/core/ledger';

/** Days of the middle of the sums of `fillTables`. What is of much of the ledger is asked for a part of the time. */
const DAYS = { fromDay: 10_010, toDay: 10_090 };

/** Statements of every kind over filled tables, by what is asked. */
export const USAGE: Record<string, (ledger: Ledger) => Promise<unknown>> = Object.fromEntries(
  (['organization', 'key', 'model', 'tag', 'day'] as const).flatMap((by) => {
    const queries = {
      everything: DAYS,
      'a large organization': { organizationId: 'large', ...DAYS },
      'a small organization': { organizationId: 'small-10' },
      'a busy key': { keyId: 'busy', ...DAYS },
      'a key that is used of late': { keyId: 'late' },
      'a key of late of a large organization': { organizationId: 'large', keyId: 'late' },
      'an unknown key': { keyId: 'unknown' },
    };
    return Object.entries(queries).map(([whose, query]): [string, (ledger: Ledger) => Promise<unknown>] => [
      `usage of ${whose} by ${by}`,
      (ledger) => ledger.usage({ by, ...query }),
    ]);
  }),
);
