import assert from 'node:assert/strict';
import type { ApiKeyRegistry } from '@searchgate/core/ledger';
import { type TestRunner, testsOf } from '../test-runner.js';

/** A fresh registry and the means of a test to handle it. */
export interface RegistryUnderTest {
  /** Empty, used by this test alone. */
  readonly registry: ApiKeyRegistry;
  /** Opens another handle on the same keys, like a second process. Needed for {@link RegistryCapabilities.connections}. */
  readonly connect?: (() => Promise<ApiKeyRegistry>) | undefined;
  /**
   * Ends {@link registry} abruptly (as by `kill -9`) and opens the same storage again. Needed for
   * {@link RegistryCapabilities.reopen}.
   */
  readonly reopen?: (() => Promise<ApiKeyRegistry>) | undefined;
  /** Cleans up, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** Optional capabilities of the registry under test. Each adds tests. */
export interface RegistryCapabilities {
  /** Several handles share the same keys. */
  readonly connections?: boolean | undefined;
  /** Acknowledged operations survive the end of the process. */
  readonly reopen?: boolean | undefined;
}

/** The registry under test, and the test runner. */
export interface ApiKeyRegistryConformanceOptions extends TestRunner {
  /** Called once per test. */
  readonly create: () => Promise<RegistryUnderTest>;
  /** @default nothing beyond the contract */
  readonly supports?: RegistryCapabilities | undefined;
}

/** The interface of the parts of the suite. */
export interface RegistrySuite {
  readonly describe: TestRunner['describe'];
  /** A test with its own registry. */
  readonly test: (name: string, body: (under: RegistryUnderTest) => Promise<void>) => void;
  /** A test with two handles on the same keys: the same handle twice if the registry has only one. */
  readonly testOfTwo: (name: string, body: (first: ApiKeyRegistry, second: ApiKeyRegistry) => Promise<void>) => void;
  readonly supports: RegistryCapabilities;
}

export function createRegistrySuite(options: ApiKeyRegistryConformanceOptions): RegistrySuite {
  const { describe, it, create, supports = {} } = options;

  async function otherHandle({ registry, connect }: RegistryUnderTest): Promise<ApiKeyRegistry> {
    if (supports.connections !== true) return registry;
    assert.ok(connect !== undefined, 'a registry that supports connections brings connect()');
    return connect();
  }

  const test = testsOf(it, create);
  return {
    describe,
    test,
    testOfTwo: (name, body) => test(name, async (under) => body(under.registry, await otherHandle(under))),
    supports,
  };
}
