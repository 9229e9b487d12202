import { createFakeClock, idempotencyConformance } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { guardIdempotency } from './guarded-idempotency.js';
import type { ClaimRequest, ClaimResult, IdempotencyStore } from './idempotency-store.js';
import { memoryIdempotency } from './memory-idempotency.js';

const REQUEST: ClaimRequest = {
  keyId: 'key-1',
  idempotencyKey: 'order-17',
  claimId: 'claim-1',
  fingerprint: 'a'.repeat(64),
  nowMs: 0,
  expiresAtMs: 60_000,
};
const OTHER = { ...REQUEST, claimId: 'claim-2' };
const TIMED_OUT = { name: 'LedgerError', reason: 'ledger_timeout' };
const never = () => new Promise<never>(() => undefined);

function guarded(operations: Partial<IdempotencyStore> = {}) {
  const clock = createFakeClock();
  const sound = memoryIdempotency();
  return { clock, sound, store: guardIdempotency({ ...sound, ...operations }, { timeoutMs: 5_000, clock }) };
}

describe('guardIdempotency', () => {
  idempotencyConformance({
    describe,
    it,
    create: async () => ({ store: guarded().store, dispose: () => Promise.resolve() }),
  });

  it.each<[string, (store: IdempotencyStore) => Promise<unknown>]>([
    ['claim', (store) => store.claim(REQUEST)],
    ['complete', (store) => store.complete(REQUEST, { status: 200, body: '' }, 1)],
    ['free', (store) => store.free(REQUEST)],
  ])('gives a %s up that hangs', async (_verb, call) => {
    const { store, clock } = guarded({ claim: never, complete: never, free: never });
    const [outcome] = await Promise.allSettled([call(store), clock.advance(5_000)]);
    expect(outcome).toMatchObject({ reason: TIMED_OUT });
  });

  it('frees a claim that arrives after it was given up', async () => {
    const answers: ((result: ClaimResult) => void)[] = [];
    const { store, clock, sound } = guarded({
      claim: () => new Promise((resolve) => answers.push(resolve)),
    });
    const [outcome] = await Promise.allSettled([store.claim(REQUEST), clock.advance(5_000)]);
    expect(outcome).toMatchObject({ reason: TIMED_OUT });
    answers[0]?.(await sound.claim(REQUEST));
    await clock.advance(0);
    expect(await sound.claim(OTHER)).toEqual({ status: 'claimed' });
  });

  it('frees nothing when the late result is that another claim holds the name', async () => {
    const freed: string[] = [];
    const answers: ((result: ClaimResult) => void)[] = [];
    const { store, clock } = guarded({
      claim: () => new Promise((resolve) => answers.push(resolve)),
      free: async ({ claimId }) => freed.push(claimId) > 0,
    });
    const [outcome] = await Promise.allSettled([store.claim(REQUEST), clock.advance(5_000)]);
    expect(outcome).toMatchObject({ reason: TIMED_OUT });
    answers[0]?.({ status: 'in_progress' });
    await clock.advance(0);
    expect(freed).toEqual([]);
  });

  it.each<[string, (sound: IdempotencyStore) => Promise<ClaimResult>]>([
    ['rejects', (sound) => sound.claim(REQUEST).then(() => Promise.reject(new Error('connection lost')))],
    [
      'throws',
      (sound) => {
        void sound.claim(REQUEST);
        throw new Error('connection lost');
      },
    ],
  ])('frees a claim that was made though the operation %s', async (_how, claim) => {
    const sound = memoryIdempotency();
    const clock = createFakeClock();
    const store = guardIdempotency({ ...sound, claim: () => claim(sound) }, { timeoutMs: 5_000, clock });
    await expect(store.claim(REQUEST)).rejects.toThrow('connection lost');
    await clock.advance(0);
    expect(await sound.claim(OTHER)).toEqual({ status: 'claimed' });
  });

  it('survives a store that fails at freeing too', async () => {
    const failing = () => {
      throw new Error('down');
    };
    const { store } = guarded({ claim: failing, free: failing });
    await expect(store.claim(REQUEST)).rejects.toThrow('down');
  });
});
