import type { DurableLedger } from '@searchgate/core/ledger';
import type { Evidence } from './evidence.js';
import { type LedgerRecords, readLedger } from './read-ledger.js';
import { RULES } from './rules.js';

/** The records of a ledger, with all problems found. */
export interface CheckedLedger extends LedgerRecords {
  /** The first records that break each rule, by rule; empty for a correct ledger. */
  readonly problems: Readonly<Record<string, readonly string[]>>;
}

const SHOWN_PER_RULE = 5;

/** Compares a ledger with the records of its callers and its upstream. No process may write meanwhile. */
export async function checkLedger(ledger: DurableLedger, evidence: Evidence): Promise<CheckedLedger> {
  const records = await readLedger(ledger, evidence);
  const broken = Object.entries(RULES).flatMap(([name, rule]) => {
    const found = rule(records, evidence);
    const more = found.length > SHOWN_PER_RULE ? [`and ${found.length - SHOWN_PER_RULE} more`] : [];
    return found.length === 0 ? [] : [[name, [...found.slice(0, SHOWN_PER_RULE), ...more]] as const];
  });
  return { ...records, problems: Object.fromEntries(broken) };
}
