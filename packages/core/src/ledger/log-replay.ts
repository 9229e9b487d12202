import type { NanoUsd } from '../base/money.js';
import type { LedgerEntry } from './ledger-entry.js';
import { NO_KEY_COUNTERS } from './ledger-state.js';
import { addUsage, limitWindowsAt, type WindowedUsage } from './window-usage.js';

/** What matters of an entry for the counters. */
export type ReplayedEntry = Pick<LedgerEntry, 'kind' | 'organizationId' | 'keyId' | 'amount' | 'atMs'>;

/** What the entries that were removed from the log had added up to: where a replay begins. */
export interface Checkpoint {
  /** Up to where the log was removed, in the ledger's own form; empty where nothing was. */
  readonly cut: string;
  readonly organizations: Iterable<readonly [id: string, { readonly credits: NanoUsd; readonly usage: NanoUsd }]>;
  readonly keys: Iterable<readonly [id: string, Readonly<WindowedUsage>]>;
}

export const NOTHING_REMOVED: Checkpoint = Object.freeze({ cut: '', organizations: [], keys: [] });

/** The counters as they follow from the log. What is held does not. */
export interface LogReplay {
  /** That of the checkpoint it began with. An engine that finds another one has to refuse: the log was cut while it was read. */
  readonly cut: string;
  /** How many entries have been added. */
  readonly entries: number;
  readonly organizations: ReadonlyMap<string, { readonly credits: NanoUsd; readonly usage: NanoUsd }>;
  readonly keys: ReadonlyMap<string, Readonly<WindowedUsage>>;
  /** Adds the next entry in the order of the log, which decides what the latest windows are. */
  add(entry: ReplayedEntry): void;
}

export function createLogReplay(checkpoint: Checkpoint = NOTHING_REMOVED): LogReplay {
  const organizations = new Map<string, { credits: NanoUsd; usage: NanoUsd }>();
  const keys = new Map<string, WindowedUsage>();
  for (const [id, totals] of checkpoint.organizations) organizations.set(id, { ...totals });
  for (const [id, usage] of checkpoint.keys) keys.set(id, { ...usage });
  let entries = 0;
  return {
    cut: checkpoint.cut,
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
