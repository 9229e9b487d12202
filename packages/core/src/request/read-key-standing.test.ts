import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../auth/api-key.js';
import type { CallerLimits } from '../call/caller-limits.js';
import { type KeyStandingDeps, readKeyStanding } from './read-key-standing.js';

const API_KEY = { id: 'key', organizationId: 'acme', limit: null, limitReset: null } as ApiKey;
const RATE = { requests: 10, periodMs: 60_000 };

async function standing(limits: CallerLimits, used: number | null = null) {
  const asked: unknown[] = [];
  const deps: KeyStandingDeps = {
    ledger: {
      organizationTotals: () => Promise.resolve({ credits: 9n, usage: 0n, held: 0n }),
      budgetTotals: () => Promise.resolve([]),
      keyTotals: () => Promise.resolve({ usage: 9n, held: 0n, windowUsage: 9n, resetsAtMs: null }),
      ratesUsed: (request) => {
        asked.push(request);
        return Promise.resolve({ key: used, organization: null });
      },
    },
    logger: { warn: () => undefined, error: () => undefined },
    limitsOf: () => limits,
  };
  return { read: await readKeyStanding(deps, API_KEY), asked };
}

describe('the standing of a key', () => {
  it.each([
    [4, 6],
    [null, 10],
  ])('shows how many more requests fit: after %j, %d', async (used, remaining) => {
    const { read, asked } = await standing({ keyRateLimit: RATE, keyMaxConcurrent: 3 }, used);
    expect(read).toMatchObject({ usage: 9n, rateLimit: { ...RATE, remaining }, maxConcurrent: 3 });
    expect(asked).toEqual([{ keyId: 'key', organizationId: 'acme', keyRateLimit: RATE }]);
  });

  it.each([undefined, null])('reads no rate without a limit: %j', async (none) => {
    const { read, asked } = await standing({ keyRateLimit: none, keyMaxConcurrent: none });
    expect(read).toMatchObject({ rateLimit: null, maxConcurrent: null });
    expect(asked).toEqual([]);
  });
});
