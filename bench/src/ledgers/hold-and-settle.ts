import type { Ledger } from '@searchgate/core';

/** What every pair holds and charges, in nanodollars. */
export const COST = 5_000_000n;
/** Credits of every organization: more than any run can spend. */
export const CREDITS = COST * 1_000_000_000n;
const FAR_AHEAD_MS = 3_600_000;
const ID_DIGITS = 26;

export function organizationName(index: number): string {
  return `organization-${index}`;
}

/** As long as the gateway's own. */
export function holdId(index: number): string {
  return `ans_${index.toString().padStart(ID_DIGITS, '0')}`;
}

/** Holds and settles through the ledger's own interface, as the gateway does: an id per call, a key with a limit, an expiry. */
export async function holdAndSettle(ledger: Ledger, id: string, organizationId: string): Promise<void> {
  await hold(ledger, id, organizationId);
  await settle(ledger, id);
}

export async function hold(ledger: Ledger, id: string, organizationId: string): Promise<void> {
  const held = await ledger.hold({
    holdId: id,
    organizationId,
    keyId: `key-of-${organizationId}`,
    keyLimit: CREDITS,
    amount: COST,
    expiresAtMs: Date.now() + FAR_AHEAD_MS,
    model: 'exa/answer',
  });
  if (held.status !== 'held') throw new Error('the ledger refused a hold it has room for');
}

export async function settle(ledger: Ledger, id: string): Promise<void> {
  await ledger.settle(id, { cost: COST, model: 'exa/answer', provider: 'exa', costSource: 'reported' });
}

/** Gives every organization its credits. */
export async function grantAll(ledger: Ledger, organizations: number): Promise<void> {
  const grants = Array.from({ length: organizations }, (_, index) =>
    ledger.grant({
      grantId: `grant-${index}`,
      organizationId: organizationName(index),
      amount: CREDITS,
      note: 'benchmark',
    }),
  );
  await Promise.all(grants);
}

/** How many pairs the ledger has charged, by its counters. @throws Error when something is still held. */
export async function chargedPairs(ledger: Ledger, organizations: number): Promise<number> {
  const names = Array.from({ length: organizations }, (_, index) => organizationName(index));
  const totals = await Promise.all(names.map((name) => ledger.organizationTotals(name)));
  return totals.reduce((pairs, { usage }) => pairs + Number(usage / COST), 0);
}

/** The names in what a ledger has sent to its engine, and what stands in their place when it is sent again. */
const HOLD_ID = new RegExp(`ans_\\d{${ID_DIGITS}}`, 'g');
const ORGANIZATION = /organization-\d+/g;

export interface PairNames {
  readonly holdId: string;
  readonly organizationId: string;
}

export function withNames(text: string, { holdId: id, organizationId }: PairNames): string {
  return text.replace(HOLD_ID, id).replace(ORGANIZATION, organizationId);
}
