import { type RateLimit, systemClock } from '@searchgate/core/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SqliteLedger } from '../src/index.js';
import { grantOf, holdOf, times } from './requests.js';
import { createStorage, type Storage } from './storage.js';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 10, 22, 12);
/** One an hour drains. */
const keyRateLimit: RateLimit = { requests: 3, periodMs: 3 * 3_600_000 };
const request = { organizationId: 'acme', keyId: 'key-1', keyRateLimit };

let storage: Storage;
let ledger: SqliteLedger;
let nowMs: number;

beforeEach(async () => {
  nowMs = NOW_MS;
  storage = createStorage();
  ledger = await storage.connect({ clock: { ...systemClock, now: () => nowMs } });
  await ledger.grant(grantOf());
});
afterEach(() => storage.dispose());

async function admit(): Promise<string> {
  const result = await ledger.admit(request);
  return result.status === 'refused' ? result.by : result.status;
}

async function useAll(): Promise<void> {
  expect(await Promise.all(times(3, admit))).toEqual(['admitted', 'admitted', 'admitted']);
}

describe('a clock that is set back', () => {
  it('drains nothing of a rate', async () => {
    await useAll();
    nowMs -= 24 * HOUR_MS;
    expect(await ledger.ratesUsed(request)).toEqual({ key: 3, organization: null });
    expect(await admit()).toBe('key_rate');
  });

  it('lets a rate drain from its new time on, although requests were refused in between', async () => {
    await useAll();
    nowMs -= 24 * HOUR_MS;
    expect(await admit()).toBe('key_rate');
    nowMs += HOUR_MS - 1_000;
    expect(await admit()).toBe('key_rate');
    nowMs += 1_000;
    expect(await admit()).toBe('admitted');
    expect(await admit()).toBe('key_rate');
  });

  it('does so where a hold was refused by money', async () => {
    await useAll();
    nowMs -= 24 * HOUR_MS;
    const higher = { ...keyRateLimit, requests: 4 };
    const dear = holdOf({ amount: 1_000n, keyRateLimit: higher });
    expect(await ledger.hold(dear)).toMatchObject({ by: 'organization_credits', ratesUsed: { key: 3 } });
    nowMs += 2 * HOUR_MS;
    expect((await ledger.ratesUsed(request)).key).toBe(1);
  });

  it('is seen by every process, also through another handle', async () => {
    await useAll();
    nowMs -= 24 * HOUR_MS;
    await admit();
    nowMs += 2 * HOUR_MS;
    const other = await storage.connect({ clock: { ...systemClock, now: () => nowMs } });
    expect((await other.ratesUsed(request)).key).toBe(1);
  });

  it('leaves the places as they are', async () => {
    await ledger.hold(holdOf({ expiresAtMs: nowMs }));
    nowMs -= HOUR_MS;
    expect(await ledger.expireHolds(nowMs)).toBe(0);
    expect(await ledger.hold(holdOf({ holdId: 'hold-2', keyMaxConcurrent: 1 }))).toMatchObject({
      by: 'key_concurrency',
    });
  });
});
