import { z } from 'zod';
import { MAX_NANO_USD, type NanoUsd, readUsd } from '../base/money.js';
import { clockSchema, ledgerIdSchema } from '../base/options/option-schemas.js';
import { parseOptions } from '../base/options/parse-options.js';
import { type Clock, systemClock } from '../base/time/clock.js';
import { createLedger, type LedgerEngine, stateOperations } from './create-ledger.js';
import type { IdempotencyStore } from './idempotency-store.js';
import type { Ledger } from './ledger.js';
import { memoryIdempotency } from './memory-idempotency.js';
import { createMemoryState, expireDueHolds, type MemoryState } from './memory-state.js';
import { applyGrant } from './money-operations.js';

/** What the ledger begins with. */
export interface MemoryLedgerOptions {
  /**
   * Initial credits: decimal USD by organization id, such as `{ acme: '25.00' }`. Each becomes a grant with the id `initial.<organization id>`.
   *
   * @default no credits
   */
  readonly credits?: Readonly<Record<string, string>> | undefined;
  /**
   * The number of remembered log entries, and of remembered ended holds; the oldest are forgotten first. Counters stay right, but a forgotten hold is
   * unknown to `settle` and `release`, and its id can be used again. The ids of grants and adjustments are never forgotten. 1 to 10,000,000.
   *
   * @default 10,000 (about 5 MB when full)
   */
  readonly maxEntries?: number | undefined;
  /** The clock for the times of entries. @default the clock of the machine */
  readonly clock?: Clock | undefined;
}

const DEFAULT_MAX_ENTRIES = 10_000;
const MOST_ENTRIES = 10_000_000;
const ENTRIES_WANTED = `a whole number from 1 to ${MOST_ENTRIES}`;
const CREDITS_WANTED = 'a decimal USD string such as "25.00", from 0 to 2^62 nanodollars';

const schema = z.strictObject(
  {
    credits: z
      .record(
        ledgerIdSchema,
        z.string(CREDITS_WANTED).transform(toCredits),
        'an object of decimal USD strings by organization id',
      )
      .default({}),
    maxEntries: z
      .int(ENTRIES_WANTED)
      .min(1, ENTRIES_WANTED)
      .max(MOST_ENTRIES, ENTRIES_WANTED)
      .default(DEFAULT_MAX_ENTRIES),
    clock: clockSchema.default(systemClock),
  },
  'an object such as { credits: { acme: "25.00" } }',
);

/**
 * A {@link Ledger} in the memory of this process, which **forgets everything when the process ends**: for tests and trials, never for other people's money.
 * Processes do not share memory ledgers.
 *
 * Every operation is one synchronous step, so concurrent holds can never overspend.
 *
 * @throws ConfigurationError naming the wrong option.
 */
export function memoryLedger(
  options: MemoryLedgerOptions = {},
): Ledger & { readonly idempotency: Required<IdempotencyStore> } {
  const { credits, maxEntries, clock } = parseOptions(schema, options, 'memoryLedger');
  const state = createMemoryState(clock, maxEntries);
  for (const [organizationId, amount] of Object.entries(credits))
    applyGrant(state, { grantId: `initial.${organizationId}`, organizationId, amount, note: 'initial credits' });
  return { ...createLedger(memoryMoney(state)), idempotency: memoryIdempotency() };
}

function memoryMoney(state: MemoryState): LedgerEngine {
  return {
    isImmediate: true,
    ...stateOperations((operation, ...values) => operation(state, ...values)),
    expireHolds: (nowMs) => expireDueHolds(state, nowMs),
    usage: (query) => state.usage.read(query),
    findHold: (holdId) => state.findHold(holdId),
    entries: (query) => state.log.page(query),
  };
}

function toCredits(text: string, context: z.RefinementCtx): NanoUsd {
  const amount = readUsd(text) ?? -1n;
  if (amount >= 0n && amount <= MAX_NANO_USD) return amount;
  context.addIssue({ code: 'custom', message: CREDITS_WANTED });
  return z.NEVER;
}
