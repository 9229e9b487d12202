import { type DurableLedger, type Ledger, limitWindowAt } from '@searchgate/core/ledger';
import type { TestRunner } from '../test-runner.js';

/** One fresh ledger and what a test may do around it. */
export interface LedgerUnderTest {
  /** Empty, and shared with no other test. */
  readonly ledger: Ledger;
  /** What the ledger's own clock says, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Moves the ledger's clock forward. Needed for {@link LedgerCapabilities.clock}. */
  readonly advance?: ((ms: number) => Promise<void>) | undefined;
  /** Sets the ledger's own clock back. Needed for {@link LedgerCapabilities.clock}. */
  readonly setBack?: ((ms: number) => void) | undefined;
  /** Another handle on the same money, as a second process would have it. Needed for {@link LedgerCapabilities.connections}. */
  readonly connect?: (() => Promise<Ledger>) | undefined;
  /**
   * Ends {@link ledger} abruptly (no `close`, as by `kill -9`) and opens the same storage again. Needed for
   * {@link LedgerCapabilities.reopen}.
   */
  readonly reopen?: (() => Promise<Ledger>) | undefined;
  /** The same ledger as {@link ledger}, as far as its log can be cut. Needed for {@link LedgerCapabilities.removal}. */
  readonly removal?: Pick<DurableLedger, 'removeEntries' | 'audit'> | undefined;
  /** Frees everything, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** What the ledger under test can do beyond the contract. Each adds tests. */
export interface LedgerCapabilities {
  /** Entries are stamped by a clock the test moves. */
  readonly clock?: boolean | undefined;
  /** Several handles share the same money. */
  readonly connections?: boolean | undefined;
  /** Acknowledged operations survive the end of the process. */
  readonly reopen?: boolean | undefined;
  /** Old entries can be removed from the log: a `DurableLedger`. */
  readonly removal?: boolean | undefined;
}

export interface LedgerConformanceOptions extends TestRunner {
  /** Called once per test, and once per run of a property. */
  readonly create: () => Promise<LedgerUnderTest>;
  /** Default: nothing beyond the contract. */
  readonly supports?: LedgerCapabilities | undefined;
  /** How many random histories each property tries. Default 100; fewer for a ledger that is slow to create. */
  readonly randomRuns?: number | undefined;
}

/** What the parts of the suite are written against. */
export interface LedgerSuite {
  readonly describe: TestRunner['describe'];
  /** A test with a ledger of its own. */
  readonly test: (name: string, body: (under: LedgerUnderTest) => Promise<void>) => void;
  /** A test that makes many ledgers, one per run of a property. */
  readonly property: (name: string, body: (properties: Properties) => Promise<void>) => void;
  readonly supports: LedgerCapabilities;
}

interface Properties {
  readonly runs: number;
  /** Runs one history against a ledger of its own. */
  readonly withLedger: (body: (under: LedgerUnderTest) => Promise<void>) => Promise<void>;
}

const DEFAULT_RANDOM_RUNS = 100;

export function createLedgerSuite(options: LedgerConformanceOptions): LedgerSuite {
  const { describe, it, create, supports = {}, randomRuns = DEFAULT_RANDOM_RUNS } = options;

  /** @returns what the test failed with, if it did, and whether a midnight passed that the test does not know of. */
  async function attempt(body: (under: LedgerUnderTest) => Promise<void>) {
    const under = await create();
    try {
      const { resetsAtMs: midnightMs } = limitWindowAt('daily', under.now());
      const error = await body(under).then(
        () => undefined,
        (thrown: unknown) => ({ thrown }),
      );
      return { error, midnightPassed: supports.clock !== true && under.now() >= midnightMs };
    } finally {
      await under.dispose();
    }
  }

  // Where no test can move the clock, a window may end in the middle of one: it is then, and only then, given a second chance.
  async function withLedger(body: (under: LedgerUnderTest) => Promise<void>): Promise<void> {
    const first = await attempt(body);
    const { error } = first.error !== undefined && first.midnightPassed ? await attempt(body) : first;
    if (error !== undefined) throw error.thrown;
  }

  return {
    describe,
    test: (name, body) => void it(name, () => withLedger(body)),
    property: (name, body) => void it(name, () => body({ runs: randomRuns, withLedger })),
    supports,
  };
}
