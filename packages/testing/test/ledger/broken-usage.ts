import type { HoldRecord, Ledger, UsageQuery, UsageRow } from '@searchgate/core/ledger';
import { type Break, type Fault, HISTORIES } from './broken-ledgers.js';
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

export const USAGE_FAULTS: readonly Fault[] = [
  {
    fault: 'adds losses to what was charged',
    breaks: givingRows((rows) => rows.map((row) => ({ ...row, charged: row.charged + row.lost }))),
    caughtBy: ['adds up charges, cached answers, corrections, grants and losses', HISTORIES],
  },
  {
    fault: 'does not tell answers that were there already apart',
    breaks: givingRows((rows) => rows.map((row) => ({ ...row, cachedCharges: 0, cached: 0n }))),
    caughtBy: ['adds up charges, cached answers, corrections, grants and losses', HISTORIES],
  },
  {
    fault: 'leaves out groups that add up to nothing',
    breaks: givingRows((rows) => rows.filter((row) => row.charges > 0 || row.granted !== 0n)),
    caughtBy: ['adds up charges, cached answers, corrections, grants and losses', HISTORIES],
  },
  {
    fault: 'orders groups by their UTF-16',
    breaks: givingRows((rows) => rows.toSorted(byUnits)),
    caughtBy: ['orders groups by their UTF-8 bytes, with the row without a group last'],
  },
  {
    fault: 'puts what has no group first',
    breaks: givingRows((rows) => rows.toSorted((a, b) => Number(b.group === null) - Number(a.group === null))),
    caughtBy: ['orders groups by their UTF-8 bytes, with the row without a group last'],
  },
  {
    fault: 'skips a group between two pages',
    breaks: givingRows((rows, { after }) => (after === undefined ? rows : rows.slice(1))),
    caughtBy: ['walks the pages of usage by key without skipping or repeating a group'],
  },
  {
    fault: 'takes the day behind those asked about for one of them',
    breaks: asking(({ toDay }) => (toDay === undefined ? {} : { toDay: toDay + 1 })),
    caughtBy: [
      'counts only the days of the query, first included, last excluded',
      'adds up days and months, whatever parts of months are at the edges',
      'begins a day, and a month, at midnight UTC',
    ],
  },
  {
    fault: 'ignores the key it was asked about',
    breaks: asking(() => ({ keyId: undefined })),
    caughtBy: ['counts only the organization of the query, the key, or both'],
  },
  {
    fault: 'forgets the tags of holds',
    breaks: (sound: Ledger) => ({ hold: (request) => sound.hold({ ...request, tag: undefined }) }),
    caughtBy: [
      'writes the tag of a hold with its charge and its losses',
      'counts a settle that comes late under the tag of the hold',
      HISTORIES,
    ],
  },
  {
    fault: 'says that a hold ended when it was made',
    breaks: givingRecords(({ createdAtMs, endedAtMs }) => ({ endedAtMs: endedAtMs === null ? null : createdAtMs })),
    caughtBy: ['keeps the time of creation, and takes a late settle for the end'],
  },
  {
    fault: 'has a provider where no one served',
    breaks: givingRecords(({ provider }) => ({ provider: provider ?? '' })),
    caughtBy: ['knows an open hold', 'knows a released hold', 'knows a hold that expired'],
  },
  {
    fault: 'knows what was asked for and not what ran',
    breaks: givingRecords(({ status }) => (status === 'settled' ? { model: 'exa/answer' } : {})),
    caughtBy: ['records cost, model and provider of a settled hold', 'knows a charge of zero'],
  },
];

/** Faults of ledgers with removable entries. */
export const REMOVAL_FAULTS: readonly {
  readonly fault: string;
  readonly faults: RemovalFaults;
  readonly caughtBy: readonly string[];
}[] = [
  {
    fault: 'removes grants and adjustments as well',
    faults: { isRemoved: () => true },
    caughtBy: ['removes the entries before a cursor, except grants and adjustments'],
  },
  {
    fault: 'refuses a cursor whose entry was removed',
    faults: { lost: true },
    caughtBy: ['continues a walk at the next remaining entry if its next entry was removed'],
  },
  {
    fault: 'counts one more than it removes',
    faults: { countOf: (removed) => removed + 1 },
    caughtBy: [
      'removes the entries before a cursor, except grants and adjustments',
      'removes nothing twice, and nothing before an older cursor',
    ],
  },
  {
    fault: 'loses what was removed in its audit',
    faults: { miscounts: true },
    caughtBy: [
      'removes the entries before a cursor, except grants and adjustments',
      'goes on with charges, audits and more removals',
      'never audits wrongly while entries are removed',
    ],
  },
];
