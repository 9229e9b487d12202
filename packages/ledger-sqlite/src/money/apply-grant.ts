import { type Adjustment, type Applied, type Grant, LedgerError, type NanoUsd } from '@searchgate/core/ledger';
import type { Books } from './books.js';
import { exact } from './exact.js';
import { addToKey, addToOrganization } from './totals.js';

/** What an id was used for, as it stands in the log. */
interface AppliedRow {
  readonly organization_id: string;
  readonly key_id: string | null;
  readonly amount: bigint;
}

/** What an id is used for now. */
interface Use {
  readonly kind: 'grant' | 'adjustment';
  readonly id: string;
  readonly organizationId: string;
  readonly keyId: string | null;
  readonly amount: NanoUsd;
}

// The kinds are named once more for the sake of the partial index.
const FIND_APPLIED = `SELECT organization_id, key_id, amount FROM searchgate_entries
  WHERE kind = ? AND id = ? AND kind IN ('grant', 'adjustment')`;

/** @throws LedgerError `duplicate_grant`, or `invalid_amount` when the credits would overflow. */
export function applyGrant(books: Books, { grantId: id, organizationId, amount, note }: Grant): Applied {
  const use = { kind: 'grant', id, organizationId, keyId: null, amount } as const;
  if (wasApplied(books, use)) return { applied: false };
  const totals = books.organization(organizationId);
  books.setOrganization(organizationId, { ...totals, credits: exact(totals.credits + amount) });
  books.append({ ...use, note });
  return { applied: true };
}

/** @throws LedgerError `duplicate_adjustment`, or `invalid_amount` when a counter would overflow. */
export function applyAdjustment(books: Books, adjustment: Adjustment): Applied {
  const { adjustmentId: id, organizationId, keyId = null, amount, note } = adjustment;
  const use = { kind: 'adjustment', id, organizationId, keyId, amount } as const;
  if (wasApplied(books, use)) return { applied: false };
  const totals = addToOrganization(books.organization(organizationId), { usage: amount });
  if (keyId !== null) books.setKey(keyId, addToKey(books.key(keyId), { usage: amount }, books.nowMs));
  books.setOrganization(organizationId, totals);
  books.append({ ...use, note });
  return { applied: true };
}

/** @throws LedgerError where the id was used for something else. */
function wasApplied({ connection }: Books, { kind, id, organizationId, keyId, amount }: Use): boolean {
  const earlier = connection.statement<AppliedRow>(FIND_APPLIED).get(kind, id);
  if (earlier === undefined) return false;
  if (earlier.organization_id === organizationId && earlier.key_id === keyId && earlier.amount === amount) return true;
  throw new LedgerError(`duplicate_${kind}`, `${kind}Id: "${id}" was used before with other arguments`);
}
