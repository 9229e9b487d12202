import { madeIn } from '../base/made-in.js';
import type { NanoUsd } from '../base/money.js';
import { dayOf } from '../base/time/clock.js';
import { BUDGET_IDLE_DAYS, budgetName } from './hold-budget.js';
import type { LedgerEntry } from './ledger-entry.js';
import { NO_BUDGET_COUNTERS, NO_KEY_COUNTERS } from './ledger-state.js';
import { addUsage, limitWindowsAt, type WindowedUsage } from './window-usage.js';

/** The fields of an entry that counters need. */
export type ReplayedEntry = Pick<LedgerEntry, 'kind' | 'organizationId' | 'keyId' | 'amount' | 'atMs'> & {
  /** As in the entry; `null` or absent for none. */
  readonly budgets?: readonly string[] | null | undefined;
};

/** The usage of a budget by the log. */
export interface ReplayedBudget extends WindowedUsage {
  /** Nanodollars before the last time that the budget was idle for so long that its counter may have been forgotten, and began again. */
  beforeIdle: NanoUsd;
}

/** The sums of the entries removed from the log: a replay begins with them. */
export interface Checkpoint {
  /** The position up to which the log was removed, in a form of the engine; empty if no entry was removed. */
  readonly cut: string;
  /** Nanodollars by organization. */
  readonly organizations: Iterable<readonly [id: string, { readonly credits: NanoUsd; readonly usage: NanoUsd }]>;
  /** Nanodollars by key. */
  readonly keys: Iterable<readonly [id: string, Readonly<WindowedUsage>]>;
  /** Nanodollars by budget, under their `budgetName`. */
  readonly budgets: Iterable<readonly [name: string, Readonly<ReplayedBudget>]>;
}

/** The checkpoint of a whole log. */
export const NOTHING_REMOVED: Checkpoint = Object.freeze({ cut: '', organizations: [], keys: [], budgets: [] });

/** The counters that follow from the log: all counters except held amounts and slots. */
export interface LogReplay {
  /** The `cut` of the checkpoint that the replay began with. An engine that finds another cut must refuse: the log was cut during the replay. */
  readonly cut: string;
  /** The number of added entries. */
  readonly entries: number;
  /** Nanodollars by organization, of the added entries and the checkpoint. */
  readonly organizations: ReadonlyMap<string, { readonly credits: NanoUsd; readonly usage: NanoUsd }>;
  /** Nanodollars by key, of the added entries and the checkpoint. */
  readonly keys: ReadonlyMap<string, Readonly<WindowedUsage>>;
  /** Nanodollars by budget, under their `budgetName`, of the added entries and the checkpoint. */
  readonly budgets: ReadonlyMap<string, Readonly<ReplayedBudget>>;
  /** Adds the next entry. The order must be the order of the log, because it decides the latest windows. */
  add(entry: ReplayedEntry): void;
}

/** A replay that begins after the entries of a checkpoint. Default: with the first entry. */
export function createLogReplay(checkpoint: Checkpoint = NOTHING_REMOVED): LogReplay {
  const organizations = new Map<string, { credits: NanoUsd; usage: NanoUsd }>();
  const keys = new Map<string, WindowedUsage>();
  const budgets = new Map<string, ReplayedBudget>();
  for (const [id, totals] of checkpoint.organizations) organizations.set(id, { ...totals });
  for (const [id, usage] of checkpoint.keys) keys.set(id, { ...usage });
  for (const [name, usage] of checkpoint.budgets) budgets.set(name, { ...usage });
  let entries = 0;
  return {
    cut: checkpoint.cut,
    organizations,
    keys,
    budgets,
    get entries() {
      return entries;
    },
    add({ kind, organizationId, keyId, amount, atMs, budgets: named }) {
      entries += 1;
      const organization = organizations.get(organizationId) ?? { credits: 0n, usage: 0n };
      organizations.set(organizationId, organization);
      if (kind === 'grant') organization.credits += amount;
      if (kind !== 'charge' && kind !== 'adjustment') return;
      organization.usage += amount;
      if (keyId === null && named == null) return;
      const windows = limitWindowsAt(atMs);
      if (keyId !== null) addUsage(madeIn(keys, keyId, newKey), amount, windows);
      for (const id of named ?? []) {
        const budget = madeIn(budgets, budgetName(organizationId, id), newBudget);
        if (dayOf(atMs) - budget.latestDay > BUDGET_IDLE_DAYS) budget.beforeIdle = budget.usage;
        addUsage(budget, amount, windows);
      }
    },
  };
}

const newKey = (): WindowedUsage => ({ ...NO_KEY_COUNTERS });
const newBudget = (): ReplayedBudget => ({ ...NO_BUDGET_COUNTERS, beforeIdle: 0n });
