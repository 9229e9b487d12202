import { type ExpiryPolicy, isLedgerError } from '@searchgate/core/ledger';
import type { Books } from './books.js';
import { endHold, type HoldRow, READ_HOLDS, writeCharge } from './end-hold.js';
import { addToKey, addToOrganization } from './totals.js';

/** How many holds end, or rows go, in one transaction: other verbs and other processes wait for it. */
export const SWEEP_SIZE = 100;

const READ_DUE = `${READ_HOLDS} WHERE ended_at_ms IS NULL AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ${SWEEP_SIZE}`;
const PRUNE_HOLDS = `DELETE FROM searchgate_holds WHERE id IN (SELECT id FROM searchgate_holds
  WHERE ended_at_ms IS NOT NULL AND ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?)`;

/** Ends up to {@link SWEEP_SIZE} holds that are due. @returns how many. */
export function expireDueHolds(books: Books, nowMs: number, policy: ExpiryPolicy): number {
  const due = books.connection.statement<HoldRow>(READ_DUE).all(BigInt(nowMs));
  for (const hold of due) expireHold(books, hold, policy);
  return due.length;
}

/** Forgets up to `most` holds that ended before `beforeMs`. @returns how many. */
export function pruneEndedHolds({ connection }: Books, beforeMs: number, most: number): number {
  return connection.statement(PRUNE_HOLDS).run(BigInt(beforeMs), BigInt(most));
}

function expireHold(books: Books, hold: HoldRow, policy: ExpiryPolicy): void {
  const { id, organization_id: organizationId, key_id: keyId, amount, model } = hold;
  const cost = policy === 'charge' && hasRoom(books, hold) ? amount : null;
  endHold(books, hold, { status: 'expired', cost });
  books.append({ kind: 'expired', id: `${id}.expired`, organizationId, keyId, amount, model });
  if (cost === null) return;
  writeCharge(books, hold, { cost, late: false, served: { model, provider: '', costSource: 'held' } });
}

/** Whether the counters can keep a charge of what is held. Where they cannot, nobody could be charged for this hold, and it is freed. */
function hasRoom(books: Books, { organization_id: organizationId, key_id: keyId, amount: usage }: HoldRow): boolean {
  try {
    addToOrganization(books.organization(organizationId), { usage });
    addToKey(books.key(keyId), { usage }, books.nowMs);
    return true;
  } catch (error) {
    if (isLedgerError(error)) return false;
    throw error;
  }
}
