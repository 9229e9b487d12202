import { createFakeClock, type FakeClock, idempotencyConformance, ledgerConformance } from '@searchgate/testing';
import { describe, expect, it, vi } from 'vitest';
import type { ClaimRequest, ClaimResult, IdempotencyStore } from './idempotency-store.js';
import type { HoldRequest, Ledger } from './ledger.js';
import { memoryIdempotency } from './memory-idempotency.js';
import { memoryLedger } from './memory-ledger.js';
import { storeWithTimeLimit, withTimeLimit } from './with-time-limit.js';

const TIMEOUT_MS = 1_000;
const CHARGE = { cost: 5n, model: 'exa/answer', provider: 'exa', costSource: 'flat' } as const;

function holdOf(holdId: string, amount = 5n): HoldRequest {
  const owner = { organizationId: 'acme', keyId: 'key-1', keyLimit: null };
  return { holdId, ...owner, amount, expiresAtMs: Date.UTC(2100, 0, 1), model: 'exa/answer' };
}

function guarded(ledger: Ledger) {
  const clock = createFakeClock();
  return { clock, guard: withTimeLimit(ledger, { timeoutMs: TIMEOUT_MS, clock }) };
}

/** A ledger whose `operation` does its work at once but answers only when it is let go. */
function stalling(sound: Ledger, operation: 'hold' | 'settle') {
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const stalled = async (...args: never[]) => {
    const result = await (sound[operation] as (...given: never[]) => Promise<unknown>)(...args);
    await gate;
    return result;
  };
  return { ledger: { ...sound, [operation]: stalled }, letGo: () => letGo() };
}

/** Waits until the call has run into its time limit. */
async function outlast(clock: FakeClock, call: Promise<unknown>): Promise<void> {
  const outcome = call.catch((error: unknown) => error);
  await clock.advance(TIMEOUT_MS);
  expect(await outcome).toMatchObject({ name: 'LedgerError', reason: 'ledger_timeout' });
}

const OPERATIONS: Record<string, (ledger: Ledger) => Promise<unknown>> = {
  grant: (ledger) => ledger.grant({ grantId: 'grant-1', organizationId: 'acme', amount: 1n, note: '' }),
  adjust: (ledger) => ledger.adjust({ adjustmentId: 'adjustment-1', organizationId: 'acme', amount: 1n, note: '' }),
  hold: (ledger) => ledger.hold(holdOf('hold-1')),
  settle: (ledger) => ledger.settle('hold-1', CHARGE),
  release: (ledger) => ledger.release('hold-1', { reason: 'failed' }),
  expireHolds: (ledger) => ledger.expireHolds(1),
  organizationTotals: (ledger) => ledger.organizationTotals('acme'),
  keyTotals: (ledger) => ledger.keyTotals('key-1'),
  usage: (ledger) => ledger.usage({ by: 'day' }),
  findHold: (ledger) => ledger.findHold('hold-1'),
  entries: (ledger) => ledger.entries({ limit: 1 }),
};

/** Every operation does the same thing. */
function ledgerOf(operation: () => Promise<never>): Ledger {
  return Object.fromEntries(
    [...Object.keys(OPERATIONS), 'close'].map((name) => [name, operation]),
  ) as unknown as Ledger;
}

describe('withTimeLimit', () => {
  describe('around a memory ledger', () => {
    ledgerConformance({
      describe,
      it,
      randomRuns: 20,
      create: async () => {
        const { guard, clock } = guarded(memoryLedger({ clock: createFakeClock() }));
        return { ledger: guard, now: () => clock.now(), dispose: () => guard.close() };
      },
    });
  });

  it.each(Object.entries(OPERATIONS))('gives up %s after the time limit, and not before', async (_name, operation) => {
    const { clock, guard } = guarded(ledgerOf(() => new Promise(() => undefined)));
    let outcome: unknown = 'waiting';
    const call = operation(guard).catch((error: unknown) => {
      outcome = error;
    });
    await clock.advance(TIMEOUT_MS - 1);
    expect(outcome).toBe('waiting');
    await clock.advance(1);
    await call;
    expect(outcome).toMatchObject({ name: 'LedgerError', reason: 'ledger_timeout' });
  });

  it.each(Object.entries(OPERATIONS))('passes on what the engine rejects %s with', async (_name, operation) => {
    const error = new Error('connection lost');
    const { guard } = guarded(ledgerOf(() => Promise.reject(error)));
    await expect(operation(guard)).rejects.toBe(error);
  });

  it.each(Object.entries(OPERATIONS))('rejects where the ledger throws from %s', async (_name, operation) => {
    const error = new Error('not even a promise');
    const throwing = ledgerOf(() => {
      throw error;
    });
    await expect(operation(guarded(throwing).guard)).rejects.toBe(error);
  });

  it('releases a hold that succeeds after its time', async () => {
    const sound = memoryLedger({ credits: { acme: '1.00' } });
    const { ledger, letGo } = stalling(sound, 'hold');
    const release = vi.spyOn(ledger, 'release');
    const { clock, guard } = guarded(ledger);
    await outlast(clock, guard.hold(holdOf('hold-1')));
    expect(await sound.organizationTotals('acme')).toMatchObject({ held: 5n });
    letGo();
    await clock.advance(0);
    expect(await sound.organizationTotals('acme')).toMatchObject({ held: 0n, usage: 0n });
    expect(release).toHaveBeenCalledExactlyOnceWith('hold-1', { reason: 'hold_timed_out' });
  });

  it('leaves a hold alone that is refused after its time', async () => {
    const { ledger, letGo } = stalling(memoryLedger(), 'hold');
    const release = vi.spyOn(ledger, 'release');
    const { clock, guard } = guarded(ledger);
    await outlast(clock, guard.hold(holdOf('hold-1')));
    letGo();
    await clock.advance(0);
    expect(release).not.toHaveBeenCalled();
  });

  it('leaves a late hold to its expiry when it can not be released either', async () => {
    const sound = memoryLedger({ credits: { acme: '1.00' } });
    const { ledger, letGo } = stalling(sound, 'hold');
    ledger.release = () => Promise.reject(new Error('still down'));
    const { clock, guard } = guarded(ledger);
    await outlast(clock, guard.hold(holdOf('hold-1')));
    letGo();
    await clock.advance(0);
    expect(await sound.organizationTotals('acme')).toMatchObject({ held: 5n });
    expect(await sound.expireHolds(Date.UTC(2100, 0, 1))).toBe(1);
  });

  it('lets a settle count that succeeds after its time', async () => {
    const sound = memoryLedger({ credits: { acme: '1.00' } });
    const { ledger, letGo } = stalling(sound, 'settle');
    const { clock, guard } = guarded(ledger);
    await guard.hold(holdOf('hold-1'));
    await outlast(clock, guard.settle('hold-1', CHARGE));
    letGo();
    await clock.advance(0);
    expect(await sound.settle('hold-1', CHARGE)).toEqual({ status: 'settled', cost: 5n, first: false });
  });

  it('waits for a close as long as it takes', async () => {
    let flushed: () => void = () => undefined;
    const { clock, guard } = guarded({
      ...memoryLedger(),
      close: () =>
        new Promise((resolve) => {
          flushed = resolve;
        }),
    });
    const closed = guard.close();
    await clock.advance(100 * TIMEOUT_MS);
    flushed();
    await expect(closed).resolves.toBeUndefined();
  });
});

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

function guardedStore(operations: Partial<IdempotencyStore> = {}) {
  const clock = createFakeClock();
  const sound = memoryIdempotency();
  return { clock, sound, store: storeWithTimeLimit({ ...sound, ...operations }, { timeoutMs: TIMEOUT_MS, clock }) };
}

describe('storeWithTimeLimit', () => {
  idempotencyConformance({
    describe,
    it,
    supports: { erase: true },
    create: async () => ({ store: guardedStore().store, dispose: () => Promise.resolve() }),
  });

  it.each<[string, (store: IdempotencyStore) => Promise<unknown>]>([
    ['claim', (store) => store.claim(REQUEST)],
    ['complete', (store) => store.complete(REQUEST, { status: 200, body: '' }, 1)],
    ['free', (store) => store.free(REQUEST)],
  ])('gives a %s up that hangs', async (_verb, call) => {
    const { store, clock } = guardedStore({ claim: never, complete: never, free: never });
    const [outcome] = await Promise.allSettled([call(store), clock.advance(TIMEOUT_MS)]);
    expect(outcome).toMatchObject({ reason: TIMED_OUT });
  });

  it('frees a claim that arrives after it was given up', async () => {
    const answers: ((result: ClaimResult) => void)[] = [];
    const { store, clock, sound } = guardedStore({
      claim: () => new Promise((resolve) => answers.push(resolve)),
    });
    const [outcome] = await Promise.allSettled([store.claim(REQUEST), clock.advance(TIMEOUT_MS)]);
    expect(outcome).toMatchObject({ reason: TIMED_OUT });
    answers[0]?.(await sound.claim(REQUEST));
    await clock.advance(0);
    expect(await sound.claim(OTHER)).toEqual({ status: 'claimed' });
  });

  it('frees nothing when the late result is that another claim holds the name', async () => {
    const freed: string[] = [];
    const answers: ((result: ClaimResult) => void)[] = [];
    const { store, clock } = guardedStore({
      claim: () => new Promise((resolve) => answers.push(resolve)),
      free: async ({ claimId }) => freed.push(claimId) > 0,
    });
    const [outcome] = await Promise.allSettled([store.claim(REQUEST), clock.advance(TIMEOUT_MS)]);
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
    const store = storeWithTimeLimit({ ...sound, claim: () => claim(sound) }, { timeoutMs: TIMEOUT_MS, clock });
    await expect(store.claim(REQUEST)).rejects.toThrow('connection lost');
    await clock.advance(0);
    expect(await sound.claim(OTHER)).toEqual({ status: 'claimed' });
  });

  it('survives a store that fails at freeing too', async () => {
    const failing = () => {
      throw new Error('down');
    };
    const { store } = guardedStore({ claim: failing, free: failing });
    await expect(store.claim(REQUEST)).rejects.toThrow('down');
  });
});
