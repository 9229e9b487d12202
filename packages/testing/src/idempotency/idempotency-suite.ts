import assert from 'node:assert/strict';
import type { ClaimRequest, ClaimResult, IdempotencyStore, StoredResponse } from '@searchgate/core/ledger';
import { type TestRunner, testsOf } from '../test-runner.js';

/** A fresh store and the means of a test to handle it. */
export interface IdempotencyUnderTest {
  /** Empty, used by this test alone. */
  readonly store: IdempotencyStore;
  /** The clock of the calling process, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Opens another handle on the same keys, like a second process. Needed for {@link IdempotencyCapabilities.connections}. */
  readonly connect?: (() => Promise<IdempotencyStore>) | undefined;
  /**
   * Ends {@link store} abruptly (as by `kill -9`) and opens the same storage again. Needed for {@link IdempotencyCapabilities.reopen}.
   */
  readonly reopen?: (() => Promise<IdempotencyStore>) | undefined;
  /** All texts of the storage: of every table, or every key. Needed for {@link IdempotencyCapabilities.erase} of a durable store. */
  readonly dump?: (() => Promise<string>) | undefined;
  /** Cleans up, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** Optional capabilities of the store under test. Each adds tests. */
export interface IdempotencyCapabilities {
  /** Several handles share the same keys. */
  readonly connections?: boolean | undefined;
  /** Acknowledged operations survive the end of the process. */
  readonly reopen?: boolean | undefined;
  /** The store has `erase`; `dumped` if the test can look into its storage. */
  readonly erase?: boolean | 'dumped' | undefined;
}

/** The store under test, and the test runner. */
export interface IdempotencyConformanceOptions extends TestRunner {
  /** Called once per test. */
  readonly create: () => Promise<IdempotencyUnderTest>;
  /** @default nothing beyond the contract */
  readonly supports?: IdempotencyCapabilities | undefined;
}

/** The environment of a test: claims last an hour, responses are kept for a day. */
export interface Scene extends IdempotencyUnderTest {
  connect(): Promise<IdempotencyStore>;
  reopen(): Promise<IdempotencyStore>;
  /** A claim of `key-1`, `order-17`, made now; `later` shifts its present and its expiry. */
  claimOf(changes?: Partial<ClaimRequest>, later?: number): ClaimRequest;
  /** When a response completed at the start of the test expires. */
  readonly keepUntilMs: number;
}

/** The interface of the parts of the suite. */
export interface IdempotencySuite {
  readonly describe: TestRunner['describe'];
  /** A test with its own store. */
  readonly test: (name: string, body: (scene: Scene) => Promise<void>) => void;
  readonly supports: IdempotencyCapabilities;
}

/** Duration of claims. Far longer than a test, so no claim expires by itself. */
export const CLAIM_MS = 60 * 60_000;
/** How long responses are kept. */
export const KEEP_MS = 24 * CLAIM_MS;
/** The clocks of an engine and a process may differ by this much. */
export const CLOCK_MARGIN_MS = 10_000;

export const FINGERPRINT = 'a'.repeat(64);
export const OTHER_FINGERPRINT = 'b'.repeat(64);
export const RESPONSE: StoredResponse = { status: 200, body: '{"answer":"It opened in May 2021 [1]."}' };

export function createIdempotencySuite(options: IdempotencyConformanceOptions): IdempotencySuite {
  const { describe, it, create, supports = {} } = options;

  return { describe, test: testsOf(it, async () => sceneOf(await create())), supports };
}

function sceneOf(under: IdempotencyUnderTest): Scene {
  const startMs = (under.now ?? Date.now)();
  return {
    ...under,
    connect: () => handleOf(under, 'connect'),
    reopen: () => handleOf(under, 'reopen'),
    dispose: () => under.dispose(),
    keepUntilMs: startMs + KEEP_MS,
    claimOf: (changes = {}, later = 0) => ({
      keyId: 'key-1',
      idempotencyKey: 'order-17',
      claimId: 'claim-1',
      fingerprint: FINGERPRINT,
      nowMs: startMs + later,
      expiresAtMs: startMs + later + CLAIM_MS,
      ...changes,
    }),
  };
}

function handleOf(under: IdempotencyUnderTest, name: 'connect' | 'reopen'): Promise<IdempotencyStore> {
  const open = under[name];
  assert.ok(open !== undefined, `a store that supports this brings ${name}()`);
  return open();
}

/** Asserts the result of a claim; an engine's result may have another prototype. */
export async function assertClaim(claiming: Promise<ClaimResult>, expected: ClaimResult): Promise<void> {
  const result = await claiming;
  const plain = result.status === 'finished' ? { ...result, response: { ...result.response } } : { ...result };
  assert.deepEqual(plain, expected);
}

export const CLAIMED: ClaimResult = { status: 'claimed' };
export const IN_PROGRESS: ClaimResult = { status: 'in_progress' };
export const MISMATCH: ClaimResult = { status: 'mismatch' };
export const finishedWith = (response: StoredResponse = RESPONSE): ClaimResult => ({ status: 'finished', response });
