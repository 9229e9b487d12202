import type { OrganizationTotals } from '@searchgate/core/ledger';
import type { EntryRow } from './entry-log.js';
import { addToKey, addToOrganization, type KeyBook, NO_KEY_BOOK, NO_TOTALS } from './totals.js';

/** What matters of an entry here. */
export type ReplayedRow = Pick<EntryRow, 'seq' | 'kind' | 'organization_id' | 'key_id' | 'amount' | 'at_ms'>;

/** The counters as they follow from the log, without a look at what was counted. What is held does not: it is 0 here. */
export interface Replay {
  readonly organizations: ReadonlyMap<string, OrganizationTotals>;
  readonly keys: ReadonlyMap<string, KeyBook>;
  /** How many entries there have been, and the place of the last one. */
  readonly progress: { readonly entries: number; readonly lastSeq: bigint };
  /** Entries come in the order of the log, which decides what the latest windows are. */
  addEntry(entry: ReplayedRow): void;
}

export function createReplay(): Replay {
  const organizations = new Map<string, OrganizationTotals>();
  const keys = new Map<string, KeyBook>();
  let progress = { entries: 0, lastSeq: 0n };
  const organization = (id: string) => organizations.get(id) ?? NO_TOTALS;
  const key = (id: string) => keys.get(id) ?? NO_KEY_BOOK;

  return {
    organizations,
    keys,
    get progress() {
      return progress;
    },
    addEntry({ seq, kind, organization_id: organizationId, key_id: keyId, amount: usage, at_ms: atMs }) {
      progress = { entries: progress.entries + 1, lastSeq: seq };
      const totals = organization(organizationId);
      if (kind === 'grant') organizations.set(organizationId, { ...totals, credits: totals.credits + usage });
      if (kind !== 'charge' && kind !== 'adjustment') return;
      organizations.set(organizationId, addToOrganization(totals, { usage }));
      if (keyId !== null) keys.set(keyId, addToKey(key(keyId), { usage }, Number(atMs)));
    },
  };
}
