import { LedgerError } from '../errors.js';
import type {
  Adjustment,
  Applied,
  Charge,
  ExpiryPolicy,
  Grant,
  HoldEnding,
  HoldRequest,
  HoldResult,
  Loss,
  Release,
} from './ledger.js';
import {
  budgetOfKey,
  keyBook,
  type MemoryBooks,
  NOTHING_SEEN,
  type OpenHold,
  organizationBook,
  type PastHold,
} from './memory-books.js';
import { refusalOf } from './refusal-of.js';
import { addUsage } from './window-usage.js';

/*
 * The verbs that change a memory ledger's books, each in one synchronous step, which is what makes them atomic.
 */

const HELD: HoldResult = Object.freeze({ status: 'held' });
const RELEASED: PastHold = Object.freeze({ status: 'released', cost: 0n });

export function applyGrant(books: MemoryBooks, { grantId, organizationId, amount, note }: Grant): Applied {
  if (books.grantIds.has(grantId)) return { applied: false };
  books.grantIds.add(grantId);
  organizationBook(books, organizationId).credits += amount;
  const atMs = books.clock.now();
  books.log.append({ kind: 'grant', id: grantId, organizationId, keyId: null, amount, atMs, note });
  return { applied: true };
}

export function applyAdjustment(books: MemoryBooks, adjustment: Adjustment): Applied {
  const { adjustmentId, organizationId, amount, note } = adjustment;
  const keyId = adjustment.keyId ?? null;
  if (books.adjustmentIds.has(adjustmentId)) return { applied: false };
  books.adjustmentIds.add(adjustmentId);
  const atMs = books.clock.now();
  organizationBook(books, organizationId).usage += amount;
  if (keyId !== null) addUsage(keyBook(books, keyId), amount, books.calendar(atMs));
  books.log.append({ kind: 'adjustment', id: adjustmentId, organizationId, keyId, amount, atMs, note });
  return { applied: true };
}

export function placeHold(books: MemoryBooks, request: HoldRequest): HoldResult {
  const { holdId, organizationId, keyId, amount, expiresAtMs, model } = request;
  if (books.openHolds.has(holdId) || books.pastHolds.get(holdId) !== undefined) {
    throw new LedgerError('duplicate_hold', `holdId: "${holdId}" was used before`);
  }
  const refused = refusalOf(request, {
    organization: books.organizations.get(organizationId) ?? NOTHING_SEEN,
    key: budgetOfKey(books, request),
  });
  if (refused !== undefined) return refused;
  const organization = organizationBook(books, organizationId);
  const key = keyBook(books, keyId);
  organization.held += amount;
  key.held += amount;
  const hold = { id: holdId, organizationId, keyId, model, amount, organization, key, expiresAtMs, queueIndex: -1 };
  books.openHolds.set(holdId, hold);
  books.openByExpiry.add(hold);
  return HELD;
}

export function settleHold(books: MemoryBooks, holdId: string, charge: Charge): HoldEnding {
  const open = books.openHolds.get(holdId);
  if (open !== undefined) {
    free(books, open);
    return settle(books, open, { charge, late: false });
  }
  const past = pastHold(books, holdId);
  return past.unpaid === undefined ? repeated(past) : settle(books, past.unpaid, { charge, late: true });
}

export function releaseHold(books: MemoryBooks, holdId: string, { losses }: Release): HoldEnding {
  const open = books.openHolds.get(holdId);
  if (open === undefined) return repeated(pastHold(books, holdId));
  free(books, open);
  books.pastHolds.set(holdId, RELEASED);
  if (losses !== undefined) writeLosses(books, open, losses);
  return { status: 'released', cost: 0n, first: true };
}

/** @returns how many holds ended. */
export function expireDueHolds(books: MemoryBooks, nowMs: number, policy: ExpiryPolicy): number {
  let count = 0;
  let due = books.openByExpiry.peek();
  while (due !== undefined && due.expiresAtMs <= nowMs) {
    expire(books, due, policy);
    count += 1;
    due = books.openByExpiry.peek();
  }
  return count;
}

function free({ openHolds, openByExpiry }: MemoryBooks, hold: OpenHold): void {
  openHolds.delete(hold.id);
  openByExpiry.remove(hold);
  hold.organization.held -= hold.amount;
  hold.key.held -= hold.amount;
}

interface Settlement {
  readonly charge: Charge;
  readonly late: boolean;
}

function settle(books: MemoryBooks, hold: OpenHold, { charge, late }: Settlement): HoldEnding {
  const { cost, losses } = charge;
  books.pastHolds.set(hold.id, { status: 'settled', cost });
  if (losses !== undefined) writeLosses(books, hold, losses);
  writeCharge(books, hold, { charge, late });
  return { status: 'settled', cost, first: true };
}

function expire(books: MemoryBooks, hold: OpenHold, policy: ExpiryPolicy): void {
  const { id, organizationId, keyId, amount, model } = hold;
  free(books, hold);
  const atMs = books.clock.now();
  books.log.append({ kind: 'expired', id: `${id}.expired`, organizationId, keyId, amount, atMs, model });
  if (policy === 'release') {
    books.pastHolds.set(id, { status: 'expired', cost: 0n, unpaid: hold });
  } else {
    books.pastHolds.set(id, { status: 'expired', cost: amount });
    const charge: Charge = { cost: amount, model, provider: '', costSource: 'held' };
    writeCharge(books, hold, { charge, late: false });
  }
}

// Every settle passes here: the entry is written out, because spreading the charge into it would cost more than all the rest.
function writeCharge(books: MemoryBooks, hold: OpenHold, { charge, late }: Settlement): void {
  const { id, organizationId, keyId } = hold;
  const { cost: amount, model, provider, costSource } = charge;
  const atMs = books.clock.now();
  hold.organization.usage += amount;
  addUsage(hold.key, amount, books.calendar(atMs));
  const kind = 'charge';
  books.log.append({ kind, id, organizationId, keyId, amount, atMs, model, provider, costSource, late });
}

function writeLosses(books: MemoryBooks, hold: OpenHold, losses: readonly Loss[]): void {
  const { id: holdId, organizationId, keyId } = hold;
  const atMs = books.clock.now();
  for (const [index, { cost: amount, model, provider, reason }] of losses.entries()) {
    const id = `${holdId}.loss.${index + 1}`;
    books.log.append({ kind: 'loss', id, organizationId, keyId, amount, atMs, model, provider, reason });
  }
}

/** A hold that has ended keeps the ending it has. */
function repeated({ status, cost }: PastHold): HoldEnding {
  return { status, cost, first: false };
}

function pastHold(books: MemoryBooks, holdId: string): PastHold {
  const past = books.pastHolds.get(holdId);
  if (past === undefined) throw new LedgerError('unknown_hold', `holdId: no hold "${holdId}" is known`);
  return past;
}
