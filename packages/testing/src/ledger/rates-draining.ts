import assert from 'node:assert/strict';
import type { RateLimit } from '@searchgate/core/ledger';
import * as fc from 'fast-check';
import type { LedgerSuite } from './ledger-suite.js';
import { admitTimes, requestOf } from './rate-requests.js';

const SECOND_MS = 1_000;
/** One request drains per second. */
const sixty: RateLimit = { requests: 60, periodMs: 60_000 };
/** Nothing drains of this limit during a test. */
const three: RateLimit = { requests: 3, periodMs: 86_400_000 };

/** Rates over time, with a clock moved by the suite. */
export function registerDraining({ test, property, testWith }: LedgerSuite): void {
  testWith(
    'advance',
    'admits the next request as soon as one has drained, and a full burst after a period',
    async ({ ledger, advance }) => {
      const request = requestOf({ keyRateLimit: sixty });
      assert.equal((await admitTimes(ledger, 61, request)).at(-1), 'key_rate');
      await advance(SECOND_MS - 1);
      assert.deepEqual(await admitTimes(ledger, 1, request), ['key_rate']);
      await advance(1);
      assert.deepEqual(await admitTimes(ledger, 2, request), ['admitted', 'key_rate']);
      await advance(60 * SECOND_MS);
      assert.equal((await ledger.ratesUsed(request)).key, 0);
      const burst = await admitTimes(ledger, 61, request);
      assert.deepEqual([burst.at(59), burst.at(60)], ['admitted', 'key_rate']);
    },
  );

  test('forgets a drained rate, even for a slower limit', async ({ ledger, advance }) => {
    await admitTimes(ledger, 3, requestOf({ keyRateLimit: sixty, organizationRateLimit: sixty }));
    await advance?.(3 * SECOND_MS);
    const slower = requestOf({ keyRateLimit: three, organizationRateLimit: three });
    assert.deepEqual({ ...(await ledger.ratesUsed(slower)) }, { key: 0, organization: 0 });
    assert.deepEqual(await admitTimes(ledger, 3, slower), ['admitted', 'admitted', 'admitted']);
  });

  property('lets in what a bucket that drains evenly has room for', async ({ runs, withLedger }) => {
    const limit = fc.record({
      requests: fc.integer({ min: 1, max: 5 }),
      periodMs: fc.integer({ min: 1, max: 9 }).map((seconds) => seconds * 1_000),
    });
    const waits = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 25 });
    const histories = fc.asyncProperty(limit, waits, (keyRateLimit, waitsMs) =>
      withLedger(async ({ ledger, advance }) => {
        let [used, elapsedMs] = [0, 0];
        const perMs = keyRateLimit.requests / keyRateLimit.periodMs;
        for (const waitMs of waitsMs) {
          await advance?.(waitMs);
          elapsedMs += waitMs;
          used = Math.max(0, used - waitMs * perMs);
          const { status, ratesUsed } = await ledger.admit(requestOf({ keyRateLimit }));
          const fits = used + 1 <= keyRateLimit.requests + 1e-6;
          if (fits) used += 1;
          assert.equal(status, fits ? 'admitted' : 'refused', `after ${elapsedMs} ms`);
          assert.ok(Math.abs((ratesUsed?.key ?? 0) - used) < 1e-6, `${ratesUsed?.key} is ${used}`);
        }
      }),
    );
    await fc.assert(histories, { numRuns: runs });
  });
}
