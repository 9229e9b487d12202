import assert from 'node:assert/strict';
import {
  type EntryQuery,
  type HoldRequest,
  type KeyTotals,
  type Ledger,
  type LedgerEntry,
  LIMIT_RESETS,
  type LimitReset,
  type OrganizationTotals,
} from '@searchgate/core/ledger';
import { allPages } from '../all-pages.js';

/** Every entry of a query, page by page. */
export async function allEntries(ledger: Ledger, query: EntryQuery = {}): Promise<LedgerEntry[]> {
  const pages = await allPages((next) => ledger.entries({ ...query, ...next }));
  return pages.flatMap(({ entries }) => entries);
}

/** An entry without its time. */
export type UntimedEntry = LedgerEntry extends infer E ? (E extends LedgerEntry ? Omit<E, 'atMs'> : never) : never;

/** Every entry, without times, so that it can be compared as a whole. */
export async function untimedLog(ledger: Ledger, query: EntryQuery = {}): Promise<UntimedEntry[]> {
  return (await allEntries(ledger, query)).map((entry) => {
    const { atMs: _, ...untimed } = entry;
    return untimed;
  });
}

export const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

export function sortedById<E extends { readonly kind: string; readonly id: string }>(entries: readonly E[]): E[] {
  const sortKey = ({ kind, id }: E) => `${id} ${kind}`;
  return entries.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** Checks organization `acme`, unless another is named. Omitted figures are zero. */
export async function assertOrganization(
  ledger: Ledger,
  expected: Partial<OrganizationTotals>,
  organizationId = 'acme',
): Promise<void> {
  const totals = await ledger.organizationTotals(organizationId);
  assert.deepEqual({ ...totals }, { credits: 0n, usage: 0n, held: 0n, ...expected }, `totals of ${organizationId}`);
}

/** Checks key `key-1`, unless another is named. Omitted figures are zero. */
export async function assertKey(ledger: Ledger, expected: Partial<KeyTotals>, keyId = 'key-1'): Promise<void> {
  const { usage = 0n, held = 0n, windowUsage = usage } = expected;
  const totals = { usage, held, windowUsage, resetsAtMs: null };
  assert.deepEqual({ ...(await ledger.keyTotals(keyId)) }, totals, `totals of ${keyId}`);
}

/** Checks the usage of key `key-1`, unless another is named, in each current window. */
export async function assertWindows(
  ledger: Ledger,
  expected: Readonly<Record<LimitReset, bigint>>,
  keyId = 'key-1',
): Promise<void> {
  for (const reset of LIMIT_RESETS) {
    const { windowUsage } = await ledger.keyTotals(keyId, reset);
    assert.equal(windowUsage, expected[reset], `${reset} usage of ${keyId}`);
  }
}

/** All visible state of `acme`, `key-1` and the log: unchanged by an operation without effect. */
async function snapshot(ledger: Ledger): Promise<unknown> {
  return {
    organization: { ...(await ledger.organizationTotals('acme')) },
    key: { ...(await ledger.keyTotals('key-1')) },
    today: (await ledger.keyTotals('key-1', 'daily')).windowUsage,
    entries: await allEntries(ledger),
  };
}

/** Makes a hold and asserts its acceptance. @param amount the expected amount; default the amount asked for. */
export async function assertHeld(ledger: Ledger, request: HoldRequest, amount = request.amount): Promise<void> {
  assert.deepEqual({ ...(await ledger.hold(request)) }, { status: 'held', amount }, `hold ${request.holdId}`);
}

/** Asserts that an operation changes no readable state. */
export async function assertNoChange(ledger: Ledger, operation: () => Promise<unknown>): Promise<void> {
  const before = await snapshot(ledger);
  await operation();
  assert.deepEqual(await snapshot(ledger), before, 'nothing has changed');
}
