import type { Ledger, NanoUsd } from '@searchgate/core';
import { allEntries } from '../ledger-check/read-ledger.js';
import { ORGANIZATIONS } from './simulate-day.js';

/** The sums of a day's log, and the counters. */
export interface DayBooks {
  readonly charges: number;
  /** Amount owed to providers: for answers, and for attempts that no caller pays. */
  readonly owed: NanoUsd;
  /** Charges in the log, per organization and per key. */
  readonly charged: readonly NanoUsd[];
  readonly usage: readonly { readonly usage: NanoUsd; readonly held: NanoUsd }[];
  readonly usageOfKeys: readonly { readonly usage: NanoUsd; readonly held: NanoUsd }[];
}

/** Adds up the whole log. */
export async function readBooks(ledger: Ledger): Promise<DayBooks> {
  const entries = await allEntries(ledger);
  const charges = entries.filter((entry) => entry.kind === 'charge');
  const losses = entries.filter((entry) => entry.kind === 'loss');
  const ofOne = (id: string) => charges.filter(({ organizationId }) => organizationId === id);
  return {
    charges: charges.length,
    owed: sum(charges.map(({ upstreamCost }) => upstreamCost ?? 0n)) + sum(losses.map(({ amount }) => amount)),
    charged: ORGANIZATIONS.map((id) => sum(ofOne(id).map(({ amount }) => amount))),
    usage: await Promise.all(ORGANIZATIONS.map((id) => ledger.organizationTotals(id))),
    usageOfKeys: await Promise.all(ORGANIZATIONS.map((id) => ledger.keyTotals(id))),
  };
}

const sum = (amounts: readonly NanoUsd[]) => amounts.reduce((total, amount) => total + amount, 0n);
