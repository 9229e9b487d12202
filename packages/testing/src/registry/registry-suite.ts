import assert from 'node:assert/strict';
import type { ApiKeyRegistry } from '@searchgate/core/ledger';
import type { TestRunner } from '../test-runner.js';

/** One fresh registry and what a test may do around it. */
export interface RegistryUnderTest {
  /** Empty, and shared with no other test. */
  readonly registry: ApiKeyRegistry;
  /** Another handle on the same keys, as a second process would have it. Needed for {@link RegistryCapabilities.connections}. */
  readonly connect?: (() => Promise<ApiKeyRegistry>) | undefined;
  /**
   * Ends {@link registry} abruptly (as by `kill -9`) and opens the same storage again. Needed for
   * {@link RegistryCapabilities.reopen}.
   */
  readonly reopen?: (() => Promise<ApiKeyRegistry>) | undefined;
  /** Frees everything, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** What the registry under test can do beyond the contract. Each adds tests. */
export interface RegistryCapabilities {
  /** Several handles share the same keys. */
  readonly connections?: boolean | undefined;
  /** Acknowledged operations survive the end of the process. */
  readonly reopen?: boolean | undefined;
}

export interface ApiKeyRegistryConformanceOptions extends TestRunner {
  /** Called once per test. */
  readonly create: () => Promise<RegistryUnderTest>;
  /** Default: nothing beyond the contract. */
  readonly supports?: RegistryCapabilities | undefined;
}

/** What the parts of the suite are written against. */
export interface RegistrySuite {
  readonly describe: TestRunner['describe'];
  /** A test with a registry of its own. */
  readonly test: (name: string, body: (under: RegistryUnderTest) => Promise<void>) => void;
  /** A test that works through two handles on the same keys: the same one twice where the registry has no other. */
  readonly testOfTwo: (name: string, body: (first: ApiKeyRegistry, second: ApiKeyRegistry) => Promise<void>) => void;
  readonly supports: RegistryCapabilities;
}

export function createRegistrySuite(options: ApiKeyRegistryConformanceOptions): RegistrySuite {
  const { describe, it, create, supports = {} } = options;

  async function withRegistry(body: (under: RegistryUnderTest) => Promise<void>): Promise<void> {
    const under = await create();
    try {
      await body(under);
    } finally {
      await under.dispose();
    }
  }

  async function otherHandle({ registry, connect }: RegistryUnderTest): Promise<ApiKeyRegistry> {
    if (supports.connections !== true) return registry;
    assert.ok(connect !== undefined, 'a registry that supports connections brings connect()');
    return connect();
  }

  const test: RegistrySuite['test'] = (name, body) => void it(name, () => withRegistry(body));
  return {
    describe,
    test,
    testOfTwo: (name, body) => test(name, async (under) => body(under.registry, await otherHandle(under))),
    supports,
  };
}
