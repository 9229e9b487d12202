import { createFakeClock } from '@searchgate/testing';
import * as fastCheck from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../base/time/clock.js';
import { LIMIT_RESETS, type LimitReset, limitWindowAt } from '../base/time/limit-window.js';
import { memoryLedger } from './memory-ledger.js';

const DAY_MS = 86_400_000;
const KEYS = ['key-1', 'key-2'];
const FAR_AHEAD_MS = Date.UTC(2200, 0);

/** One use of a key, so long after the one before: by a charge, by a correction, or by an expiry that charges. */
interface Use {
  readonly operation: 'settle' | 'settle late' | 'adjust';
  readonly keyId: string;
  readonly amount: bigint;
  readonly afterMs: number;
}

const uses: fastCheck.Arbitrary<Use[]> = fastCheck.array(
  fastCheck.record({
    operation: fastCheck.constantFrom('settle', 'settle late', 'adjust'),
    keyId: fastCheck.constantFrom(...KEYS),
    amount: fastCheck.bigInt({ min: 1n, max: 1_000n }),
    // Mostly within a window or into the next one, now and then far beyond it.
    afterMs: fastCheck.oneof(fastCheck.nat(DAY_MS), fastCheck.nat(8 * DAY_MS), fastCheck.nat(70 * DAY_MS)),
  }),
  { minLength: 1, maxLength: 30, size: 'max' },
);

function startLedger(clock: Clock) {
  const ledger = memoryLedger({ credits: { acme: '1.00' }, clock });
  let steps = 0;

  async function use({ operation, keyId, amount }: Use): Promise<void> {
    steps += 1;
    const id = `step-${steps}`;
    const owner = { organizationId: 'acme', keyId };
    if (operation === 'adjust') {
      await ledger.adjust({ adjustmentId: id, ...owner, amount: amount - 500n, note: '' });
      return;
    }
    const expiresAtMs = operation === 'settle late' ? clock.now() : FAR_AHEAD_MS;
    await ledger.hold({ holdId: id, ...owner, keyLimit: null, amount, expiresAtMs, model: 'exa/answer' });
    if (operation === 'settle late') await ledger.expireHolds(clock.now());
    await ledger.settle(id, { cost: amount, model: 'exa/answer', provider: 'exa', costSource: 'flat' });
  }

  /** What the log says a key has used in the present window. */
  async function loggedUsage(keyId: string, reset: LimitReset): Promise<bigint> {
    const { startsAtMs: fromMs, resetsAtMs: toMs } = limitWindowAt(reset, clock.now());
    const { entries } = await ledger.entries({ keyId, fromMs, toMs, limit: 1_000 });
    const counted = entries.filter(({ kind }) => kind === 'charge' || kind === 'adjustment');
    return counted.reduce((sum, { amount }) => sum + amount, 0n);
  }

  return { ledger, use, loggedUsage };
}

describe('the windows of a memory ledger', () => {
  it('equal the usage of the log in each window, at any times', async () => {
    const starts = fastCheck.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2032, 0) });
    const history = fastCheck.asyncProperty(starts, uses, async (startMs, steps) => {
      const clock = createFakeClock(startMs);
      const { ledger, use, loggedUsage } = startLedger(clock);
      for (const step of steps) {
        await clock.advance(step.afterMs);
        await use(step);
        for (const keyId of KEYS) {
          for (const reset of LIMIT_RESETS) {
            const { windowUsage } = await ledger.keyTotals(keyId, reset);
            expect([keyId, reset, windowUsage]).toEqual([keyId, reset, await loggedUsage(keyId, reset)]);
          }
        }
      }
    });
    await fastCheck.assert(history, { numRuns: 60 });
  });
});
