import {
  type Charge,
  type HoldEnding,
  LedgerError,
  type Loss,
  type NanoUsd,
  type Release,
} from '@searchgate/core/ledger';
import type { Books } from './books.js';
import { addToKey, addToOrganization } from './totals.js';

/** A hold as it is stored. */
export interface HoldRow {
  readonly id: string;
  readonly organization_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly amount: bigint;
  readonly status: 'open' | HoldEnding['status'];
  /** What was charged; `null` where nothing was. */
  readonly cost: bigint | null;
}

export const READ_HOLDS = 'SELECT id, organization_id, key_id, model, amount, status, cost FROM searchgate_holds';
const READ_HOLD = `${READ_HOLDS} WHERE id = ?`;
const END_HOLD = 'UPDATE searchgate_holds SET status = ?, cost = ?, ended_at_ms = ? WHERE id = ?';

/** @throws LedgerError `unknown_hold`, or `invalid_amount` when a counter would overflow. */
export function settleHold(books: Books, holdId: string, charge: Charge): HoldEnding {
  const hold = holdOf(books, holdId);
  const late = hold.status === 'expired' && hold.cost === null;
  if (hold.status !== 'open' && !late) return repeated(hold);
  const { cost, losses = [], ...served } = charge;
  endHold(books, hold, { status: 'settled', cost });
  writeLosses(books, hold, losses);
  writeCharge(books, hold, { cost, late, served });
  return { status: 'settled', cost, first: true };
}

/** @throws LedgerError `unknown_hold`. */
export function releaseHold(books: Books, holdId: string, { losses = [] }: Release): HoldEnding {
  const hold = holdOf(books, holdId);
  if (hold.status !== 'open') return repeated(hold);
  endHold(books, hold, { status: 'released', cost: null });
  writeLosses(books, hold, losses);
  return { status: 'released', cost: 0n, first: true };
}

/** Writes down that a hold is over, and frees and charges what follows. @throws LedgerError `invalid_amount`, before anything has changed. */
export function endHold(
  books: Books,
  hold: HoldRow,
  { status, cost }: { readonly status: HoldEnding['status']; readonly cost: NanoUsd | null },
): void {
  const { organization_id: organizationId, key_id: keyId } = hold;
  const addition = {
    ...(hold.status === 'open' && { held: -hold.amount }),
    ...(cost !== null && { usage: cost }),
  };
  const organization = addToOrganization(books.organization(organizationId), addition);
  books.setKey(keyId, addToKey(books.key(keyId), addition, books.nowMs));
  books.setOrganization(organizationId, organization);
  books.connection.statement(END_HOLD).run(status, cost, BigInt(books.nowMs), hold.id);
}

interface WrittenCharge {
  readonly cost: NanoUsd;
  readonly late: boolean;
  readonly served: Pick<Charge, 'model' | 'provider' | 'costSource'>;
}

/** The entry of a charge; {@link endHold} counts it. */
export function writeCharge(books: Books, hold: HoldRow, { cost: amount, late, served }: WrittenCharge): void {
  const { id, organization_id: organizationId, key_id: keyId } = hold;
  const { model, provider, costSource } = served;
  books.append({ kind: 'charge', id, organizationId, keyId, amount, model, provider, costSource, late });
}

function writeLosses(books: Books, hold: HoldRow, losses: readonly Loss[]): void {
  const { id: holdId, organization_id: organizationId, key_id: keyId } = hold;
  for (const [index, { cost: amount, model, provider, reason }] of losses.entries()) {
    const id = `${holdId}.loss.${index + 1}`;
    books.append({ kind: 'loss', id, organizationId, keyId, amount, model, provider, reason });
  }
}

function holdOf({ connection }: Books, holdId: string): HoldRow {
  const hold = connection.statement<HoldRow>(READ_HOLD).get(holdId);
  if (hold === undefined) throw new LedgerError('unknown_hold', `holdId: no hold "${holdId}" is known`);
  return hold;
}

/** A hold that has ended keeps the ending it has. */
function repeated({ status, cost }: HoldRow): HoldEnding {
  return { status: status as HoldEnding['status'], cost: cost ?? 0n, first: false };
}
