import type { Adjustment, Applied, Grant } from '@searchgate/core';
import type { Books } from './books.js';
import { exact } from './exact.js';
import { addToKey, addToOrganization } from './totals.js';

const FIND_APPLIED =
  "SELECT 1 AS found FROM searchgate_entries WHERE kind = ? AND id = ? AND kind IN ('grant', 'adjustment')";

export function applyGrant(books: Books, { grantId: id, organizationId, amount, note }: Grant): Applied {
  if (wasApplied(books, 'grant', id)) return { applied: false };
  const totals = books.organization(organizationId);
  books.setOrganization(organizationId, { ...totals, credits: exact(totals.credits + amount) });
  books.append({ kind: 'grant', id, organizationId, keyId: null, amount, note });
  return { applied: true };
}

export function applyAdjustment(books: Books, adjustment: Adjustment): Applied {
  const { adjustmentId: id, organizationId, keyId = null, amount, note } = adjustment;
  if (wasApplied(books, 'adjustment', id)) return { applied: false };
  const totals = addToOrganization(books.organization(organizationId), { usage: amount });
  if (keyId !== null) books.setKey(keyId, addToKey(books.key(keyId), { usage: amount }, books.nowMs));
  books.setOrganization(organizationId, totals);
  books.append({ kind: 'adjustment', id, organizationId, keyId, amount, note });
  return { applied: true };
}

function wasApplied({ connection }: Books, kind: 'grant' | 'adjustment', id: string): boolean {
  return connection.statement(FIND_APPLIED).get(kind, id) !== undefined;
}
