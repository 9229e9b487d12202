import { type AdmitRequest, type Ledger, type RateLimit, rateUsedAt } from '@searchgate/core/ledger';
import { createFakeClock } from '@searchgate/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { migratedDatabase } from './migrated-database.js';
import { adjustmentOf, chargeOf, grantOf, holdOf } from './requests.js';

const database = migratedDatabase();
const SECOND_MS = 1_000;
const sixty: RateLimit = { requests: 60, periodMs: 60_000 };
/** Drains within a millisecond. */
const fastest: RateLimit = { requests: 1_000_000, periodMs: 1_000 };

function requestOf(changes: Partial<AdmitRequest> = {}): AdmitRequest {
  return { organizationId: 'acme', keyId: 'key-1', ...changes };
}

/** Which rows of counters there are, by their ids. */
async function counters(): Promise<string[]> {
  const rows = await database().run(`SELECT organization_id AS id FROM searchgate.organization_balances
    UNION ALL SELECT key_id FROM searchgate.key_usages ORDER BY id`);
  return rows.map(({ id }) => String(id));
}

async function byOf(ledger: Ledger, changes: Parameters<typeof holdOf>[0]): Promise<string> {
  const result = await ledger.hold(holdOf({ holdId: 'another', ...changes }));
  return result.status === 'refused' ? result.by : result.status;
}

describe('what is kept of a key', () => {
  it('is nothing where it was only ever refused', async () => {
    const clock = createFakeClock();
    const ledger = database().ledger({ clock });
    await ledger.grant(grantOf());
    await ledger.hold(holdOf());
    expect(await byOf(ledger, { keyId: 'by-places', organizationMaxConcurrent: 1 })).toBe('organization_concurrency');
    expect(await byOf(ledger, { keyId: 'by-limit', keyLimit: 0n, keyRateLimit: sixty })).toBe('key_limit');
    expect(await byOf(ledger, { keyId: 'by-credits', organizationId: 'globex' })).toBe('organization_credits');
    const one = { organizationRateLimit: { requests: 1, periodMs: 60_000 } };
    await ledger.admit(requestOf(one));
    expect(await ledger.admit(requestOf({ keyId: 'by-rate', keyRateLimit: sixty, ...one }))).toMatchObject({
      by: 'organization_rate',
    });
    await expect(ledger.settle('unknown', chargeOf())).rejects.toMatchObject({ reason: 'unknown_hold' });
    await ledger.admit(requestOf({ organizationId: 'without-limits', keyId: 'without-limits' }));
    expect(await counters()).toEqual(['acme', 'key-1']);
  });

  it('is nothing once its rate has drained, where it never held anything', async () => {
    const clock = createFakeClock();
    const ledger = database().ledger({ clock });
    const limits = { keyRateLimit: sixty, organizationRateLimit: sixty };
    for (const keyId of ['once', 'twice', 'twice']) await ledger.admit(requestOf({ keyId, ...limits }));
    await ledger.expireHolds(clock.now());
    expect(await counters()).toEqual(['acme', 'once', 'twice']);
    await clock.advance(SECOND_MS);
    await ledger.expireHolds(clock.now());
    expect(await counters()).toEqual(['acme', 'twice']);
    expect((await ledger.ratesUsed(requestOf({ keyId: 'twice', ...limits }))).key).toBe(1);
    await clock.advance(2 * SECOND_MS);
    await ledger.expireHolds(clock.now());
    expect(await counters()).toEqual([]);
  });

  it.each<[string, (ledger: Ledger) => Promise<unknown>]>([
    ['an open hold of nothing', (ledger) => ledger.hold(holdOf({ amount: 0n, usesSlot: false }))],
    ['an adjustment', (ledger) => ledger.adjust(adjustmentOf({ keyId: 'key-1', amount: 0n }))],
  ])('stays for %s', async (_name, use) => {
    const clock = createFakeClock();
    const ledger = database().ledger({ clock });
    await ledger.admit(requestOf({ keyRateLimit: sixty, organizationRateLimit: sixty }));
    await use(ledger);
    await clock.advance(60 * SECOND_MS);
    await ledger.admit(requestOf({ keyRateLimit: fastest }));
    await clock.advance(60 * SECOND_MS);
    await ledger.expireHolds(0);
    expect(await counters()).toEqual(['acme', 'key-1']);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('may be forgotten by one process while another uses it', async () => {
    const ledger = database().ledger();
    const sweeper = database().ledger({ pool: database().otherPool() });
    const over = new AbortController();
    const sweeping = (async () => {
      while (!over.signal.aborted) await sweeper.expireHolds(0);
    })();
    const keys = Array.from({ length: 60 }, (_, index) => `key-${index % 20}`);
    try {
      for (const [round, keyId] of keys.entries()) {
        const organizationId = `organization-${round % 7}`;
        const request = requestOf({ organizationId, keyId, keyRateLimit: fastest, organizationRateLimit: fastest });
        const holds = [0, 1].map((number) =>
          ledger.hold(holdOf({ holdId: `${round}-${number}`, organizationId, keyId, amount: 0n })),
        );
        for (const { status } of await Promise.all([...holds, ledger.admit(request)]))
          expect(status).not.toBe('refused');
      }
    } finally {
      over.abort();
      await sweeping;
    }
    expect(await ledger.audit()).toMatchObject({ openHolds: 120, differences: [] });
  });
});

it('counts rates to the same number, to the last bit, as every other ledger', async () => {
  const limits = fc.record({
    requests: fc.integer({ min: 1, max: 1_000_000 }),
    periodMs: fc.integer({ min: 1, max: 86_400 }).map((seconds) => seconds * 1_000),
  });
  const used = fc.double({ min: 0, max: 1_000_000, noNaN: true, minExcluded: true }).map((some) => some + 1e-9);
  const times = fc.tuple(fc.integer({ min: 0, max: 2 ** 42 }), fc.integer({ min: -10_000, max: 100_000_000 }));
  const cases = fc.sample(fc.tuple(limits, used, times), { numRuns: 500, seed: 17 });
  const rows = await database().run(
    `SELECT searchgate.rate_used_at(c.used, c.at_ms, 9000000000000000, ROW(c.requests, c.period_ms)::searchgate.rate_limit, c.now_ms)::text AS used
    FROM json_to_recordset($1) AS c (used float8, at_ms int8, requests float8, period_ms float8, now_ms int8)`,
    [
      JSON.stringify(
        cases.map(([limit, before, [atMs, laterMs]]) => ({
          used: before,
          at_ms: atMs,
          requests: limit.requests,
          period_ms: limit.periodMs,
          now_ms: atMs + laterMs,
        })),
      ),
    ],
  );
  const expected = cases.map(([limit, before, [atMs, laterMs]]) =>
    rateUsedAt({ used: before, atMs }, limit, atMs + laterMs),
  );
  expect(rows.map((row) => Number(row['used']))).toEqual(expected);
});
