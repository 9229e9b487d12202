import assert from 'node:assert/strict';
import type { ClaimRequest, ClaimResult, IdempotencyStore, StoredResponse } from '@searchgate/core/ledger';
import type { TestRunner } from '../test-runner.js';

/** One fresh store and what a test may do around it. */
export interface IdempotencyUnderTest {
  /** Empty, and shared with no other test. */
  readonly store: IdempotencyStore;
  /** What the clock of the process that calls says, in milliseconds since the Unix epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Another handle on the same names, as a second process would have it. Needed for {@link IdempotencyCapabilities.connections}. */
  readonly connect?: (() => Promise<IdempotencyStore>) | undefined;
  /**
   * Ends {@link store} abruptly (as by `kill -9`) and opens the same storage again. Needed for {@link IdempotencyCapabilities.reopen}.
   */
  readonly reopen?: (() => Promise<IdempotencyStore>) | undefined;
  /** Frees everything, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** What the store under test can do beyond the contract. Each adds tests. */
export interface IdempotencyCapabilities {
  /** Several handles share the same names. */
  readonly connections?: boolean | undefined;
  /** Acknowledged operations survive the end of the process. */
  readonly reopen?: boolean | undefined;
}

export interface IdempotencyConformanceOptions extends TestRunner {
  /** Called once per test. */
  readonly create: () => Promise<IdempotencyUnderTest>;
  /** Default: nothing beyond the contract. */
  readonly supports?: IdempotencyCapabilities | undefined;
}

/** What a test works with: claims that last a minute, responses that are kept for an hour. */
export interface Scene extends IdempotencyUnderTest {
  /** A claim of `key-1`, `order-17`, made now; `later` moves its present moment (and with it its end) forward. */
  claimOf(changes?: Partial<ClaimRequest>, later?: number): ClaimRequest;
  /** When a response completed at the start of the test is forgotten. */
  readonly keepUntilMs: number;
}

/** What the parts of the suite are written against. */
export interface IdempotencySuite {
  readonly describe: TestRunner['describe'];
  /** A test with a store of its own. */
  readonly test: (name: string, body: (scene: Scene) => Promise<void>) => void;
  readonly supports: IdempotencyCapabilities;
}

/** How long claims last here. Far longer than a test, so that nothing expires by itself. */
export const CLAIM_MS = 60 * 60_000;
/** How long responses are kept here. */
export const KEEP_MS = 24 * CLAIM_MS;
/** Clocks of an engine and a process are only known to agree within this. */
export const CLOCK_MARGIN_MS = 10_000;

export const FINGERPRINT = 'a'.repeat(64);
export const OTHER_FINGERPRINT = 'b'.repeat(64);
export const RESPONSE: StoredResponse = { status: 200, body: '{"answer":"It opened in May 2021 [1]."}' };

export function createIdempotencySuite(options: IdempotencyConformanceOptions): IdempotencySuite {
  const { describe, it, create, supports = {} } = options;

  async function withScene(body: (scene: Scene) => Promise<void>): Promise<void> {
    const under = await create();
    try {
      await body(sceneOf(under));
    } finally {
      await under.dispose();
    }
  }

  return { describe, test: (name, body) => void it(name, () => withScene(body)), supports };
}

function sceneOf(under: IdempotencyUnderTest): Scene {
  const startMs = (under.now ?? Date.now)();
  return {
    ...under,
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

/** Asserts the result of a claim; engines may bring results of another prototype. */
export async function assertClaim(claiming: Promise<ClaimResult>, expected: ClaimResult): Promise<void> {
  const result = await claiming;
  const plain = result.status === 'finished' ? { ...result, response: { ...result.response } } : { ...result };
  assert.deepEqual(plain, expected);
}

export const CLAIMED: ClaimResult = { status: 'claimed' };
export const IN_PROGRESS: ClaimResult = { status: 'in_progress' };
export const MISMATCH: ClaimResult = { status: 'mismatch' };
export const finishedWith = (response: StoredResponse = RESPONSE): ClaimResult => ({ status: 'finished', response });
