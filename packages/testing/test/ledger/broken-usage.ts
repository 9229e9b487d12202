import type { HoldRecord, Ledger, UsageQuery, UsageRow } from '@searchgate/core/ledger';
import { type Break, type Faults, HISTORIES } from './broken-ledgers.js';
import type { RemovalFaults } from './removable-ledger.js';

/* Ledgers with one fault each in sums, tags, hold records or the removal of entries. */

/** Changes the rows of a page. */
const givingRows =
  (change: (rows: readonly UsageRow[], query: UsageQuery) => readonly UsageRow[]): Break =>
  (sound) => ({ usage: async (query) => change(await sound.usage(query), query) });

/** Passes a changed query to the sound ledger. */
const asking =
  (change: (query: UsageQuery) => Partial<UsageQuery>): Break =>
  (sound) => ({ usage: (query) => sound.usage({ ...query, ...change(query) }) });

const givingRecords =
  (change: (record: HoldRecord) => Partial<HoldRecord>): Break =>
  (sound) => ({
    async findHold(holdId) {
      const record = await sound.findHold(holdId);
      return record && { ...record, ...change(record) };
    },
  });

const byUnits = ({ group: a }: UsageRow, { group: b }: UsageRow) =>
  a === null || b === null ? 0 : Number(a > b) - Number(a < b);

export const USAGE_FAULTS: Faults = {
  'adds losses to what was charged': [
    givingRows((rows) => rows.map((row) => ({ ...row, charged: row.charged + row.lost }))),
    'adds up charges, cached answers, corrections, grants and losses',
    HISTORIES,
  ],
  'does not tell answers that were there already apart': [
    givingRows((rows) => rows.map((row) => ({ ...row, cachedCharges: 0, cached: 0n }))),
    'adds up charges, cached answers, corrections, grants and losses',
    HISTORIES,
  ],
  'leaves out groups that add up to nothing': [
    givingRows((rows) => rows.filter((row) => row.charges > 0 || row.granted !== 0n)),
    'adds up charges, cached answers, corrections, grants and losses',
    HISTORIES,
  ],
  'orders groups by their UTF-16': [
    givingRows((rows) => rows.toSorted(byUnits)),
    'orders groups by their UTF-8 bytes, with the row without a group last',
  ],
  'puts what has no group first': [
    givingRows((rows) => rows.toSorted((a, b) => Number(b.group === null) - Number(a.group === null))),
    'orders groups by their UTF-8 bytes, with the row without a group last',
  ],
  'skips a group between two pages': [
    givingRows((rows, { after }) => (after === undefined ? rows : rows.slice(1))),
    'walks the pages of usage by key without skipping or repeating a group',
  ],
  'takes the day behind those asked about for one of them': [
    asking(({ toDay }) => (toDay === undefined ? {} : { toDay: toDay + 1 })),
    'counts only the days of the query, first included, last excluded',
    'adds up days and months, whatever parts of months are at the edges',
    'begins a day, and a month, at midnight UTC',
  ],
  'ignores the key it was asked about': [
    asking(() => ({ keyId: undefined })),
    'counts only the organization of the query, the key, or both',
  ],
  'forgets the tags of holds': [
    (sound: Ledger) => ({ hold: (request) => sound.hold({ ...request, tag: undefined }) }),
    'writes the tag of a hold with its charge and its losses',
    'counts a settle that comes late under the tag of the hold',
    HISTORIES,
  ],
  'says that a hold ended when it was made': [
    givingRecords(({ createdAtMs, endedAtMs }) => ({ endedAtMs: endedAtMs === null ? null : createdAtMs })),
    'keeps the time of creation, and takes a late settle for the end',
  ],
  'has a provider where no one served': [
    givingRecords(({ provider }) => ({ provider: provider ?? '' })),
    'knows an open hold',
    'knows a released hold',
    'knows a hold that expired',
  ],
  'knows what was asked for and not what ran': [
    givingRecords(({ status }) => (status === 'settled' ? { model: 'exa/answer' } : {})),
    'records cost, model and provider of a settled hold',
    'knows a charge of zero',
  ],
};

/** Faults of ledgers with removable entries. */
export const REMOVAL_FAULTS: Readonly<Record<string, readonly [RemovalFaults, ...caughtBy: string[]]>> = {
  'removes grants and adjustments as well': [
    { isRemoved: () => true },
    'removes the entries before a cursor, except grants and adjustments',
  ],
  'refuses a cursor whose entry was removed': [
    { lost: true },
    'continues a walk at the next remaining entry if its next entry was removed',
  ],
  'counts one more than it removes': [
    { countOf: (removed) => removed + 1 },
    'removes the entries before a cursor, except grants and adjustments',
    'removes nothing twice, and nothing before an older cursor',
  ],
  'loses what was removed in its audit': [
    { miscounts: true },
    'removes the entries before a cursor, except grants and adjustments',
    'goes on with charges, audits and more removals',
    'never audits wrongly while entries are removed',
  ],
};
