import type { NanoUsd } from '../base/money.js';
import type { CostSource, LedgerEntry } from './ledger-entry.js';

/** An entry as an engine stores it: the common fields, and the fields of its kind. */
export interface StoredEntry {
  /** `grant`, `adjustment`, `charge`, `loss` or `expired`. */
  readonly kind: string;
  /** Unique within its kind. */
  readonly id: string;
  /** Whose balance it is. */
  readonly organizationId: string;
  /** `null` for a grant, and for an adjustment of no key. */
  readonly keyId: string | null;
  /** Nanodollars; negative for an adjustment that lowers usage. */
  readonly amount: NanoUsd;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** The note of a grant or an adjustment, the reason of a loss. */
  readonly comment: string | null;
  /** The slug; `null` for a grant or an adjustment. */
  readonly model: string | null;
  /** `null` for an entry without one. */
  readonly provider: string | null;
  /** `null` for all but charges. */
  readonly costSource: string | null;
  /** `null` or absent if unknown. */
  readonly upstreamCost?: NanoUsd | null | undefined;
  /** `null` or absent where the vendor's key was the operator's. */
  readonly tenantCost?: NanoUsd | null | undefined;
  /** Whether a charge came after its hold had expired. */
  readonly late: boolean;
  /** `null` or absent for an entry without a tag. */
  readonly tag?: string | null | undefined;
  /** `null` or absent for an entry that counts in no budget. */
  readonly budgets?: readonly string[] | null | undefined;
}

/** The entry that was stored. @throws TypeError for an unknown kind, or where a field of the kind is missing. */
export function entryOf(stored: StoredEntry): LedgerEntry {
  const { kind, id, organizationId, keyId, amount, atMs, late } = stored;
  const base = { id, organizationId, amount, atMs };
  const text = (name: 'keyId' | 'comment' | 'model' | 'provider' | 'costSource') => {
    const value = stored[name];
    if (value === null) throw new TypeError(`the ${kind} entry "${id}" has no ${name}`);
    return value;
  };
  switch (kind) {
    case 'grant':
      return { kind, ...base, keyId: null, note: text('comment') };
    case 'adjustment':
      return { kind, ...base, keyId, note: text('comment'), ...budgetsOf(stored) };
    case 'charge': {
      const served = { model: text('model'), provider: text('provider'), costSource: text('costSource') as CostSource };
      const charge = { kind, ...base, keyId: text('keyId'), ...served, late, ...tagOf(stored), ...budgetsOf(stored) };
      const { upstreamCost, tenantCost } = stored;
      return {
        ...charge,
        ...(upstreamCost != null && { upstreamCost }),
        ...(tenantCost != null && { tenantCost }),
      };
    }
    case 'loss': {
      const failed = { model: text('model'), provider: text('provider'), reason: text('comment') };
      return { kind, ...base, keyId: text('keyId'), ...failed, ...tagOf(stored), ...budgetsOf(stored) };
    }
    case 'expired':
      return { kind, ...base, keyId: text('keyId'), model: text('model'), ...budgetsOf(stored) };
    default:
      throw new TypeError(`the log has an entry of a kind this package does not know: ${kind}`);
  }
}

function tagOf({ tag }: StoredEntry): { readonly tag?: string } {
  return tag == null ? {} : { tag };
}

function budgetsOf({ budgets }: StoredEntry): { readonly budgets?: readonly string[] } {
  return budgets == null ? {} : { budgets };
}
