import type { NanoUsd } from '../money/money.js';
import type { LedgerEntry } from './ledger-entry.js';
import { NO_KEY_COUNTERS } from './ledger-state.js';
import { addUsage, limitWindowsAt, type WindowedUsage } from './window-usage.js';

/** What matters of an entry for the counters. */
export type ReplayedEntry = Pick<LedgerEntry, 'kind' | 'organizationId' | 'keyId' | 'amount' | 'atMs'>;

/** The counters as they follow from the log. What is held does not. */
export interface LogReplay {
  /** How many entries have been added. */
  readonly entries: number;
  readonly organizations: ReadonlyMap<string, { readonly credits: NanoUsd; readonly usage: NanoUsd }>;
  readonly keys: ReadonlyMap<string, Readonly<WindowedUsage>>;
  /** Adds the next entry in the order of the log, which decides what the latest windows are. */
  add(entry: ReplayedEntry): void;
}

export function createLogReplay(): LogReplay {
  const organizations = new Map<string, { credits: NanoUsd; usage: NanoUsd }>();
  const keys = new Map<string, WindowedUsage>();
  let entries = 0;
  return {
    organizations,
    keys,
    get entries() {
      return entries;
    },
    add({ kind, organizationId, keyId, amount, atMs }) {
      entries += 1;
      const organization = organizations.get(organizationId) ?? { credits: 0n, usage: 0n };
      organizations.set(organizationId, organization);
      if (kind === 'grant') organization.credits += amount;
      if (kind !== 'charge' && kind !== 'adjustment') return;
      organization.usage += amount;
      if (keyId === null) return;
      const key = keys.get(keyId) ?? { ...NO_KEY_COUNTERS };
      keys.set(keyId, key);
      addUsage(key, amount, limitWindowsAt(atMs));
    },
  };
}
