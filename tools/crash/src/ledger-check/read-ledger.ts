import type { NanoUsd } from '@searchgate/core';
import type {
  AuditReport,
  DurableLedger,
  KeyTotals,
  Ledger,
  LedgerEntry,
  LimitReset,
  OrganizationTotals,
} from '@searchgate/core/ledger';
import { budgetsOf } from '../accounts.js';
import type { Evidence } from './evidence.js';

export type ChargeEntry = LedgerEntry & { readonly kind: 'charge' };

/** A copy of a ledger's records. */
export interface LedgerRecords {
  readonly entries: readonly LedgerEntry[];
  readonly charges: readonly ChargeEntry[];
  readonly organizationTotals: ReadonlyMap<string, OrganizationTotals>;
  readonly keyTotals: ReadonlyMap<string, KeyTotals>;
  /** By organization and id, see `budgetsOf`. */
  readonly budgetTotals: ReadonlyMap<string, KeyTotals>;
  /** Limits of keys and budgets. */
  readonly limits: readonly ReadLimit[];
  readonly audit: AuditReport;
}

/** The limit of a key, or a budget, with its totals. */
interface ReadLimit {
  readonly name: string;
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset | null;
  readonly totals: KeyTotals;
  /** Whether an entry counts there, unless its kind counts nowhere. */
  isOf(entry: LedgerEntry): boolean;
}

const PAGE_ENTRIES = 1_000;
const MAX_PAGES = 1_000;

/** Reads the whole log and all totals. No process may write meanwhile. */
export async function readLedger(ledger: DurableLedger, { organizations, keys }: Evidence): Promise<LedgerRecords> {
  const entries = await allEntries(ledger);
  const organizationTotals = new Map<string, OrganizationTotals>();
  for (const { id } of organizations) organizationTotals.set(id, await ledger.organizationTotals(id));
  const limits: ReadLimit[] = [];
  const keyTotals = new Map<string, KeyTotals>();
  for (const { id, limit, limitReset } of keys) {
    const totals = await ledger.keyTotals(id, limitReset);
    keyTotals.set(id, totals);
    limits.push({ name: `key ${id}`, limit, limitReset, totals, isOf: ({ keyId }) => keyId === id });
  }
  const budgetTotals = new Map<string, KeyTotals>();
  for (const [name, budget] of budgetsOf(keys)) {
    const [totals] = await ledger.budgetTotals(budget.organizationId, [budget]);
    if (totals === undefined) throw new Error(`there are no totals of the budget ${name}`);
    budgetTotals.set(name, totals);
    limits.push({ ...budget, name: `budget ${name}`, totals, isOf: (entry) => countsIn(entry, budget) });
  }
  const charges = entries.filter((entry) => entry.kind === 'charge');
  return { entries, charges, organizationTotals, keyTotals, budgetTotals, limits, audit: await ledger.audit() };
}

function countsIn(entry: LedgerEntry, { organizationId, id }: { organizationId: string; id: string }): boolean {
  return entry.organizationId === organizationId && 'budgets' in entry && entry.budgets?.includes(id) === true;
}

/** Reads the whole log. */
export async function allEntries(ledger: Pick<Ledger, 'entries'>): Promise<LedgerEntry[]> {
  const all: LedgerEntry[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { entries, nextCursor } = await ledger.entries({ limit: PAGE_ENTRIES, ...(cursor !== null && { cursor }) });
    all.push(...entries);
    if (nextCursor === null) return all;
    cursor = nextCursor;
  }
  throw new Error(`the log has no end after ${MAX_PAGES} pages`);
}
