import { type Ledger, type LedgerEntry, LedgerError } from '@searchgate/core/ledger';
import { allEntries } from '../../src/ledger/observe.js';
import type { RemovalUnderTest } from '../../src/ledger/observe-removal.js';

/** The faults of a ledger with a removable log. */
export interface RemovalFaults {
  /** Whether an entry before the cut is removed. Default: all but grants and adjustments. */
  readonly isRemoved?: (entry: LedgerEntry) => boolean;
  /** Where a removed cursor continues. Default: after the cut. */
  readonly lost?: boolean;
  /** The returned count. Default: the true count. */
  readonly countOf?: (removed: number) => number;
  /** Whether an audit reports a difference after a removal. */
  readonly miscounts?: boolean;
}

const isMovement = ({ kind }: LedgerEntry) => kind !== 'grant' && kind !== 'adjustment';

/** A memory ledger with removable entries: removed entries are hidden. Cursors are indexes of the whole log. */
export function removableLedger(sound: Ledger, faults: RemovalFaults = {}): Ledger & RemovalUnderTest {
  const { isRemoved = isMovement, countOf = (removed: number) => removed } = faults;
  let cut = 0;
  let closed = false;

  async function left(): Promise<{ readonly entry: LedgerEntry; readonly place: number }[]> {
    const log = (await allEntries(sound, { limit: 1_000 })).map((entry, place) => ({ entry, place }));
    return log.filter(({ entry, place }) => place >= cut || !isRemoved(entry));
  }

  async function placeOf(cursor: string): Promise<number> {
    if (closed) throw new LedgerError('ledger_closed', 'this ledger is closed');
    const place = /^\d{1,9}$/.test(cursor) ? Number(cursor) : -1;
    const { length } = await allEntries(sound, { limit: 1_000 });
    if (place >= 1 && place < length) return place;
    throw new LedgerError('invalid_cursor', 'cursor: no place of this log');
  }

  return {
    ...sound,
    async entries({ cursor, limit = 100, organizationId, keyId, fromMs = 0, toMs = Infinity } = {}) {
      const first = cursor === undefined ? 0 : await placeOf(cursor);
      if (faults.lost === true && first > 0 && first < cut) throw new LedgerError('invalid_cursor', 'removed');
      const wanted = (await left()).filter(
        ({ entry, place }) =>
          place >= first &&
          (organizationId ?? entry.organizationId) === entry.organizationId &&
          (keyId ?? entry.keyId) === entry.keyId &&
          entry.atMs >= fromMs &&
          entry.atMs < toMs,
      );
      const next = wanted[limit];
      return {
        entries: wanted.slice(0, limit).map(({ entry }) => entry),
        nextCursor: next === undefined ? null : String(next.place),
      };
    },
    async removeEntries(cursor) {
      const place = await placeOf(cursor);
      const log = await allEntries(sound, { limit: 1_000 });
      const removed = log.filter((entry, index) => index >= cut && index < place && isRemoved(entry));
      cut = Math.max(cut, place);
      return countOf(removed.length);
    },
    async audit() {
      if (closed) throw new LedgerError('ledger_closed', 'this ledger is closed');
      const difference = { subject: 'key', id: 'shared', counter: 'usage', counted: 1n, recomputed: 0n } as const;
      const differences = faults.miscounts === true && cut > 0 ? [difference] : [];
      return { organizations: 0, keys: 0, budgets: 0, entries: 0, openHolds: 0, differences };
    },
    async close() {
      closed = true;
      await sound.close();
    },
  };
}
