import assert from 'node:assert/strict';
import { type DurableLedger, type Ledger, limitWindowAt } from '@searchgate/core/ledger';
import type { TestRunner } from '../test-runner.js';
import { grantOf } from './requests.js';

/** A fresh ledger and the means of a test to handle it. */
export interface LedgerUnderTest {
  /** Empty, used by this test alone. */
  readonly ledger: Ledger;
  /** The ledger's clock, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Moves the ledger's clock forward. Needed for {@link LedgerCapabilities.clock}. */
  readonly advance?: ((ms: number) => Promise<void>) | undefined;
  /** Sets the ledger's clock back. Needed for {@link LedgerCapabilities.clock}. */
  readonly setBack?: ((ms: number) => void) | undefined;
  /** Opens another handle on the same money, like a second process. Needed for {@link LedgerCapabilities.connections}. */
  readonly connect?: (() => Promise<Ledger>) | undefined;
  /**
   * Ends {@link ledger} abruptly (no `close`, as by `kill -9`) and opens the same storage again. Needed for
   * {@link LedgerCapabilities.reopen}.
   */
  readonly reopen?: (() => Promise<Ledger>) | undefined;
  /** The same ledger as {@link ledger}, with removal of log entries. Needed for {@link LedgerCapabilities.removal}. */
  readonly removal?: Pick<DurableLedger, 'removeEntries' | 'audit'> | undefined;
  /** Cleans up, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** Optional capabilities of the ledger under test. Each adds tests. */
export interface LedgerCapabilities {
  /** The test moves the clock that stamps entries. */
  readonly clock?: boolean | undefined;
  /** Several handles share the same money. */
  readonly connections?: boolean | undefined;
  /** Acknowledged operations survive the end of the process. */
  readonly reopen?: boolean | undefined;
  /** Old entries can be removed from the log: a `DurableLedger`. */
  readonly removal?: boolean | undefined;
}

/** The ledger under test, and the test runner. */
export interface LedgerConformanceOptions extends TestRunner {
  /** Called once per test, and once per run of a property. */
  readonly create: () => Promise<LedgerUnderTest>;
  /** @default nothing beyond the contract */
  readonly supports?: LedgerCapabilities | undefined;
  /** Number of random histories per property. @default 100; fewer for a ledger that is slow to create */
  readonly randomRuns?: number | undefined;
}

/** The functions of a ledger under test that tests of a capability need. */
const CAPABILITIES = { advance: 'clock', setBack: 'clock', connect: 'connections', reopen: 'reopen' } as const;
type Means = keyof typeof CAPABILITIES;
type Equipped<M extends Means> = LedgerUnderTest & { readonly [K in M]: NonNullable<LedgerUnderTest[K]> };

type TestBody<U = LedgerUnderTest> = (under: U, ledger: Ledger) => Promise<void>;

/** The interface of the parts of the suite. */
export interface LedgerSuite {
  readonly describe: TestRunner['describe'];
  /** A test with its own ledger. */
  readonly test: (name: string, body: TestBody) => void;
  /** A test with its own ledger that needs this function, where the ledger has the capability. */
  readonly testWith: <M extends Means>(needed: M, name: string, body: TestBody<Equipped<M>>) => void;
  /** A test with its own ledger, on which `acme` has these credits. */
  readonly funded: (credits: bigint, name: string, body: TestBody) => void;
  /** A test that creates one ledger per run of a property. */
  readonly property: (name: string, body: (properties: Properties) => Promise<void>) => void;
  readonly supports: LedgerCapabilities;
}

interface Properties {
  readonly runs: number;
  /** Runs one history against a new ledger. */
  readonly withLedger: (body: TestBody) => Promise<void>;
}

const DEFAULT_RANDOM_RUNS = 100;

export function createLedgerSuite(options: LedgerConformanceOptions): LedgerSuite {
  const { describe, it, create, supports = {}, randomRuns = DEFAULT_RANDOM_RUNS } = options;

  /** @returns the test's error, if any, and whether midnight passed during the test. */
  async function attempt(body: TestBody) {
    const under = await create();
    try {
      const { resetsAtMs: midnightMs } = limitWindowAt('daily', under.now());
      const error = await body(under, under.ledger).then(
        () => undefined,
        (thrown: unknown) => ({ thrown }),
      );
      return { error, midnightPassed: supports.clock !== true && under.now() >= midnightMs };
    } finally {
      await under.dispose();
    }
  }

  // Without a movable clock, a window may end during a test. Only then a failed test is retried once.
  async function withLedger(body: TestBody): Promise<void> {
    const first = await attempt(body);
    const { error } = first.error !== undefined && first.midnightPassed ? await attempt(body) : first;
    if (error !== undefined) throw error.thrown;
  }

  const test: LedgerSuite['test'] = (name, body) => void it(name, () => withLedger(body));

  return {
    describe,
    test,
    testWith(needed, name, body) {
      const capability = CAPABILITIES[needed];
      if (supports[capability] !== true) return;
      test(name, (under, ledger) => {
        assert.ok(under[needed] !== undefined, `a ledger that supports ${capability} brings ${needed}()`);
        return body(under as Equipped<typeof needed>, ledger);
      });
    },
    funded(credits, name, body) {
      test(name, async (under, ledger) => {
        await ledger.grant(grantOf({ amount: credits }));
        await body(under, ledger);
      });
    },
    property: (name, body) => void it(name, () => body({ runs: randomRuns, withLedger })),
    supports,
  };
}
