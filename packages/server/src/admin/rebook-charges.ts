import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isLedgerError, parseUsd } from '@searchgate/core';
import type { Administration } from '@searchgate/core/administration';
import { type Charge, type Ledger, ledgerIdSchema, MAX_BUDGETS_OF_CALL, type NanoUsd } from '@searchgate/core/ledger';
import { z } from 'zod';
import { problem } from '../problems.js';
import { allPages } from './all-pages.js';

/** Longer than a charge may wait between its event and its entry, or before. */
const MARGIN_MS = 86_400_000;
const HOLD_MS = 60_000;

const amount = z.string().transform((text, context): NanoUsd => {
  try {
    return parseUsd(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'a decimal amount of US dollars' });
    return z.NEVER;
  }
});

/** An event `request_finished` that charged, as the server logs it. */
const chargedSchema = z.object({
  type: z.literal('request_finished'),
  atMs: z.number(),
  answerId: ledgerIdSchema,
  organizationId: ledgerIdSchema,
  keyId: ledgerIdSchema,
  model: z.string(),
  provider: z.string(),
  cost: amount,
  upstreamCost: amount.nullable(),
  // Of a call with the organization's own key, whose cost is the fee.
  tenantCost: amount.optional(),
  cache: z.string().nullable(),
  joined: z.boolean(),
  tag: z.string().nullable(),
  budgets: z.array(ledgerIdSchema).max(MAX_BUDGETS_OF_CALL).optional(),
});
type Charged = z.output<typeof chargedSchema>;

const EVENT = '"request_finished"';
/** An event of a call that nothing was held for, such as a replay, or that was not charged. */
const uncharged = z.union([z.object({ answerId: z.null() }), z.object({ cost: z.null() })]);

interface Books {
  readonly ledger: Ledger;
  readonly administration: Pick<Administration, 'organizations' | 'statement'>;
}

/** What was found in the file and in the ledger. */
export interface Rebooked {
  /** Charges in the file, each id once. */
  readonly charges: number;
  /** The numbers of lines that may be charges and cannot be read, such as one that is cut off. */
  readonly unreadable: readonly number[];
  /** Those that the ledger lacks. */
  readonly missing: number;
  readonly amount: NanoUsd;
  readonly booked: number;
  /** Those that the ledger refuses, such as for want of credits. */
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
}

/** Books each charge of a file of events that the ledger lacks, once, by the id of its answer. @throws ConfigurationError if the file cannot be read. */
export async function rebookCharges(
  { ledger, administration }: Books,
  file: string,
  { dryRun }: { dryRun: boolean },
): Promise<Rebooked> {
  const { found: missing, unreadable } = await chargesIn(file);
  const charges = missing.size;
  let firstMs = Number.POSITIVE_INFINITY;
  for (const { atMs } of missing.values()) firstMs = Math.min(firstMs, atMs);
  const fromMs = Math.max(0, Math.floor(firstMs) - MARGIN_MS);
  if (charges > 0)
    for await (const { entries } of allPages((page) => ledger.entries({ fromMs, ...page })))
      for (const { kind, id } of entries) if (kind === 'charge') missing.delete(id);
  const refused: { id: string; reason: string }[] = [];
  const sum = [...missing.values()].reduce((total, { cost }) => total + cost, 0n);
  const keptFromMs = missing.size > 0 ? await oldestCharge({ ledger, administration }) : 0;
  if (!dryRun)
    for (const charged of missing.values()) {
      if (charged.atMs < keptFromMs) {
        refused.push({ id: charged.answerId, reason: 'older than the oldest charge in the log: it may be archived' });
        continue;
      }
      // As the gateway has held for it: an operator that pays gives no credits.
      const organization = await administration.organizations.get(charged.organizationId);
      const reason = await book(ledger, charged, organization?.operatorPays);
      if (reason !== null) refused.push({ id: charged.answerId, reason });
    }
  const booked = dryRun ? 0 : missing.size - refused.length;
  return { charges, unreadable, missing: missing.size, amount: sum, booked, refused };
}

/** When the oldest charge in the log was made: earlier ones may have been removed, and their ids with them. 0 where there never was a charge. */
async function oldestCharge({ ledger, administration }: Books): Promise<number> {
  for await (const { entries } of allPages((page) => ledger.entries(page))) {
    const oldest = entries.find(({ kind }) => kind === 'charge');
    if (oldest !== undefined) return oldest.atMs;
  }
  const sums = await administration.statement({ by: 'organization' });
  return sums.some(({ charges }) => charges > 0) ? Number.POSITIVE_INFINITY : 0;
}

async function chargesIn(file: string) {
  const found = new Map<string, Charged>();
  const unreadable: number[] = [];
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  try {
    for await (const line of lines) {
      number += 1;
      const value = parsed(line);
      const charged = chargedSchema.safeParse(value).data;
      if (charged !== undefined) found.set(charged.answerId, charged);
      else if (line.includes(EVENT) && !uncharged.safeParse(value).success) unreadable.push(number);
    }
  } catch (error) {
    throw problem('--from', `${JSON.stringify(file)} (${(error as Error).message})`, 'a file of events, one a line');
  }
  return { found, unreadable };
}

/** Lines that are no JSON, such as those of other programs in the same log, are none of ours. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** @returns why it was refused; `null` if it was booked. */
async function book(
  ledger: Ledger,
  { answerId: holdId, tag, budgets: ids = [], ...charged }: Charged,
  operatorPays = false,
): Promise<string | null> {
  const { organizationId, keyId, model, provider, cost, upstreamCost, tenantCost, cache, joined } = charged;
  // Their limits were asked when the call was held.
  const budgets = ids.map((id) => ({ id, limit: null, limitReset: null, isKept: true }));
  const owner = { organizationId, keyId, keyLimit: null, budgets, operatorPays, ...(tag !== null && { tag }) };
  const charge: Charge = {
    cost,
    model,
    provider,
    costSource: cache === 'hit' ? 'cached' : joined ? 'shared' : 'computed',
    ...(upstreamCost !== null && { upstreamCost }),
    ...(tenantCost !== undefined && { tenantCost }),
  };
  try {
    // A hold of the time of the backup may still be there.
    const held = await ledger
      .hold({ holdId, ...owner, amount: 0n, model, expiresAtMs: Date.now() + HOLD_MS })
      .catch((error: unknown) => {
        if (isLedgerError(error) && error.reason === 'duplicate_hold') return null;
        throw error;
      });
    if (held !== null && held.status !== 'held') return 'the organization has no credits left';
    const { status } = await ledger.settle(holdId, charge);
    return status === 'settled' ? null : `its hold is ${status}`;
  } catch (error) {
    if (isLedgerError(error)) return error.message;
    throw error;
  }
}
