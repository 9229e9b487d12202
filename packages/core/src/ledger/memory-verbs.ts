import { LedgerError } from '../errors/ledger-error.js';
import { magnitude, type NanoUsd } from '../money/money.js';
import { decideHold } from './decide-hold.js';
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
import { checkTotal, isTotal } from './totals.js';
import { addUsage, farthestUsage } from './window-usage.js';

/*
 * The verbs that change a memory ledger's books, each in one synchronous step, which is what makes them atomic.
 */

const RELEASED: PastHold = Object.freeze({ status: 'released', cost: 0n });

export function applyGrant(books: MemoryBooks, { grantId, organizationId, amount, note }: Grant): Applied {
  const earlier = books.grants.get(grantId);
  if (earlier !== undefined) {
    if (earlier.organizationId !== organizationId || earlier.amount !== amount) throw usedOtherwise('grant', grantId);
    return { applied: false };
  }
  const organization = organizationBook(books, organizationId);
  checkTotal('amount', organization.credits + amount);
  books.grants.set(grantId, { organizationId, amount });
  organization.credits += amount;
  const atMs = books.clock.now();
  books.log.append({ kind: 'grant', id: grantId, organizationId, keyId: null, amount, atMs, note });
  return { applied: true };
}

export function applyAdjustment(books: MemoryBooks, adjustment: Adjustment): Applied {
  const { adjustmentId, organizationId, keyId = null, amount, note } = adjustment;
  const earlier = books.adjustments.get(adjustmentId);
  if (earlier !== undefined) {
    const isSame = earlier.organizationId === organizationId && earlier.keyId === keyId && earlier.amount === amount;
    if (!isSame) throw usedOtherwise('adjustment', adjustmentId);
    return { applied: false };
  }
  const atMs = books.clock.now();
  const organization = organizationBook(books, organizationId);
  const key = keyId === null ? null : keyBook(books, keyId);
  const windows = books.calendar(atMs);
  checkTotal('amount', organization.usage + amount);
  if (key !== null) checkTotal('amount', farthestUsage(key, amount, windows));
  books.adjustments.set(adjustmentId, { organizationId, keyId, amount });
  organization.usage += amount;
  if (key !== null) addUsage(key, amount, windows);
  books.log.append({ kind: 'adjustment', id: adjustmentId, organizationId, keyId, amount, atMs, note });
  return { applied: true };
}

export function placeHold(books: MemoryBooks, request: HoldRequest): HoldResult {
  const { holdId, organizationId, keyId, expiresAtMs, model } = request;
  if (books.openHolds.has(holdId) || books.pastHolds.get(holdId) !== undefined) {
    throw new LedgerError('duplicate_hold', `holdId: "${holdId}" was used before`);
  }
  const result = decideHold(request, {
    organization: books.organizations.get(organizationId) ?? NOTHING_SEEN,
    key: budgetOfKey(books, request),
  });
  if (result.status === 'refused') return result;
  const { amount } = result;
  const organization = organizationBook(books, organizationId);
  const key = keyBook(books, keyId);
  checkTotal('amount', organization.held + amount);
  checkTotal('amount', key.held + amount);
  organization.held += amount;
  key.held += amount;
  const hold = { id: holdId, organizationId, keyId, model, amount, organization, key, expiresAtMs, queueIndex: -1 };
  books.openHolds.set(holdId, hold);
  books.openByExpiry.add(hold);
  return result;
}

export function settleHold(books: MemoryBooks, holdId: string, charge: Charge): HoldEnding {
  const open = books.openHolds.get(holdId);
  if (open !== undefined) {
    checkCharge(books, open, charge.cost);
    free(books, open);
    return settle(books, open, { charge, late: false });
  }
  const past = pastHold(books, holdId);
  if (past.unpaid !== undefined) checkCharge(books, past.unpaid, charge.cost);
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
  if (policy === 'release' || !isTotal(farthestTotal(books, hold, amount))) {
    books.pastHolds.set(id, { status: 'expired', cost: 0n, unpaid: hold });
  } else {
    books.pastHolds.set(id, { status: 'expired', cost: amount });
    const charge: Charge = { cost: amount, model, provider: '', costSource: 'held' };
    writeCharge(books, hold, { charge, late: false });
  }
}

/** @throws LedgerError `invalid_amount` when no ledger could keep what the charge comes to. */
function checkCharge(books: MemoryBooks, hold: OpenHold, cost: NanoUsd): void {
  checkTotal('cost', farthestTotal(books, hold, cost));
}

/** Of the totals a charge changes, the one farthest from zero. */
function farthestTotal(books: MemoryBooks, { organization, key }: OpenHold, cost: NanoUsd): NanoUsd {
  const ofKey = farthestUsage(key, cost, books.calendar(books.clock.now()));
  const ofOrganization = organization.usage + cost;
  return magnitude(ofOrganization) > magnitude(ofKey) ? ofOrganization : ofKey;
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

function usedOtherwise(kind: 'grant' | 'adjustment', id: string): LedgerError {
  return new LedgerError(`duplicate_${kind}`, `${kind}Id: "${id}" was used before with other arguments`);
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
