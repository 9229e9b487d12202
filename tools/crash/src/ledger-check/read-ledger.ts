import type {
  AuditReport,
  DurableLedger,
  KeyTotals,
  Ledger,
  LedgerEntry,
  OrganizationTotals,
} from '@searchgate/core/ledger';
import type { Evidence } from './evidence.js';

export type ChargeEntry = LedgerEntry & { readonly kind: 'charge' };

/** A copy of a ledger's records. */
export interface LedgerRecords {
  readonly entries: readonly LedgerEntry[];
  readonly charges: readonly ChargeEntry[];
  readonly organizationTotals: ReadonlyMap<string, OrganizationTotals>;
  readonly keyTotals: ReadonlyMap<string, KeyTotals>;
  readonly audit: AuditReport;
}

const PAGE_ENTRIES = 1_000;
const MAX_PAGES = 1_000;

/** Reads the whole log and all totals. No process may write meanwhile. */
export async function readLedger(ledger: DurableLedger, { organizations, keys }: Evidence): Promise<LedgerRecords> {
  const entries = await allEntries(ledger);
  const organizationTotals = new Map<string, OrganizationTotals>();
  for (const { id } of organizations) organizationTotals.set(id, await ledger.organizationTotals(id));
  const keyTotals = new Map<string, KeyTotals>();
  for (const { id, limitReset } of keys) keyTotals.set(id, await ledger.keyTotals(id, limitReset));
  const charges = entries.filter((entry) => entry.kind === 'charge');
  return { entries, charges, organizationTotals, keyTotals, audit: await ledger.audit() };
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
