import { describe, expect, it } from 'vitest';
import type { ClaimRequest } from './idempotency-store.js';
import { memoryIdempotency } from './memory-idempotency.js';
import { memoryLedger } from './memory-ledger.js';

const NOW_MS = Date.UTC(2026, 10, 21);

function claimOf(changes: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    keyId: 'key-1',
    idempotencyKey: 'order-17',
    claimId: 'claim-1',
    fingerprint: 'a'.repeat(64),
    nowMs: NOW_MS,
    expiresAtMs: NOW_MS + 1_000,
    ...changes,
  };
}

describe('memoryIdempotency', () => {
  it('frees a name in the very millisecond its claim expires', async () => {
    const store = memoryIdempotency();
    await store.claim(claimOf());
    const next = { claimId: 'claim-2' };
    expect(await store.claim(claimOf({ ...next, nowMs: NOW_MS + 999 }))).toEqual({ status: 'in_progress' });
    expect(await store.claim(claimOf({ ...next, nowMs: NOW_MS + 1_000 }))).toEqual({ status: 'claimed' });
  });

  it('frees a name in the very millisecond its response is no longer kept', async () => {
    const store = memoryIdempotency();
    await store.claim(claimOf());
    await store.complete(claimOf(), { status: 200, body: 'x' }, NOW_MS + 5_000);
    const next = { claimId: 'claim-2' };
    expect(await store.claim(claimOf({ ...next, nowMs: NOW_MS + 4_999 }))).toMatchObject({ status: 'finished' });
    expect(await store.claim(claimOf({ ...next, nowMs: NOW_MS + 5_000 }))).toEqual({ status: 'claimed' });
  });

  it('forgets what was finished first when there is too much to remember, and never a claim', async () => {
    const store = memoryIdempotency({ maxBytes: 65_536 });
    await store.claim(claimOf({ idempotencyKey: 'running' }));
    for (let index = 0; index < 10; index += 1) {
      const claim = claimOf({ idempotencyKey: `order-${index}` });
      await store.claim(claim);
      await store.complete(claim, { status: 200, body: 'x'.repeat(5_000) }, NOW_MS + 5_000);
    }
    const statuses = [];
    for (const idempotencyKey of ['order-0', 'order-9', 'running']) {
      statuses.push((await store.claim(claimOf({ idempotencyKey, claimId: 'claim-2' }))).status);
    }
    expect(statuses).toEqual(['claimed', 'finished', 'in_progress']);
  });

  it('forgets no response of an organization while another organization has more bytes', async () => {
    const store = memoryIdempotency({ maxBytes: 65_536 });
    const finish = async (organizationId: string, keyId: string, idempotencyKey: string) => {
      const claim = claimOf({ organizationId, keyId, idempotencyKey });
      await store.claim(claim);
      await store.complete(claim, { status: 200, body: 'x'.repeat(5_000) }, NOW_MS + 5_000);
    };
    await finish('acme', 'acme-key', 'paid');
    for (let index = 0; index < 50; index += 1) await finish('attacker', `key-${index % 7}`, `order-${index}`);
    const again = { claimId: 'claim-2', idempotencyKey: 'paid' };
    expect(await store.claim(claimOf({ ...again, keyId: 'acme-key' }))).toMatchObject({ status: 'finished' });
    const last = { claimId: 'claim-2', idempotencyKey: 'order-49', keyId: 'key-0' };
    expect(await store.claim(claimOf(last))).toMatchObject({ status: 'finished' });
  });

  it('accepts a completion larger than its bytes, and forgets the response', async () => {
    const store = memoryIdempotency({ maxBytes: 65_536 });
    await store.claim(claimOf());
    expect(await store.complete(claimOf(), { status: 200, body: 'x'.repeat(65_536) }, NOW_MS + 5_000)).toBe(true);
    expect(await store.claim(claimOf({ claimId: 'claim-2' }))).toEqual({ status: 'claimed' });
  });

  it('stores a copy of the response', async () => {
    const store = memoryIdempotency();
    const response = { status: 200, body: 'x' };
    await store.claim(claimOf());
    await store.complete(claimOf(), response, NOW_MS + 5_000);
    response.body = 'y';
    expect(await store.claim(claimOf({ claimId: 'claim-2' }))).toMatchObject({ response: { body: 'x' } });
  });

  it('refuses an invalid bound', () => {
    expect(() => memoryIdempotency({ maxBytes: 1 })).toThrow('memoryIdempotency.maxBytes');
  });

  it('is carried by the memory ledger', async () => {
    const ledger = memoryLedger();
    expect(await ledger.idempotency.claim(claimOf())).toEqual({ status: 'claimed' });
  });
});
