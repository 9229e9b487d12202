import { memoryApiKeys } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import { apiKeyRegistryConformance } from '../src/api-key-registry-conformance.js';
import type { ApiKeyRegistryConformanceOptions } from '../src/registry/registry-suite.js';
import { type BreakRegistry, REGISTRY_FAULTS } from './registry/broken-registries.js';
import { SHARED_REGISTRY_FAULTS } from './registry/broken-registry-handles.js';

type Under = Pick<ApiKeyRegistryConformanceOptions, 'create' | 'supports'>;

/** Handles on one memory registry, each broken for itself. */
const shared = (breaks: BreakRegistry): Under => ({
  supports: { connections: true, reopen: true },
  async create() {
    const sound = memoryApiKeys();
    const connect = async () => ({ ...sound, ...breaks(sound) });
    return { registry: await connect(), connect, reopen: connect, dispose: async () => undefined };
  },
});

const alone = (breaks: BreakRegistry): Under => ({ create: shared(breaks).create });

/** Runs the tests of the given groups and names and returns those that fail. */
async function failuresAmong(names: readonly string[], under: Under): Promise<string[]> {
  const tests = new Map<string, () => Promise<void>>();
  let group = '';
  const enter = (name: string, body: () => void) => {
    group = name;
    body();
  };
  const add = (name: string, body: () => Promise<void>) => {
    expect(tests.has(`${group}: ${name}`), `two tests "${group}: ${name}"`).toBe(false);
    tests.set(`${group}: ${name}`, body);
  };
  apiKeyRegistryConformance({ describe: enter, it: add, ...under });
  const failures: string[] = [];
  for (const name of names) {
    const body = tests.get(name);
    if (body === undefined) throw new Error(`the suite has no test "${name}"`);
    await body().catch(() => failures.push(name));
  }
  return failures;
}

describe('apiKeyRegistryConformance', () => {
  it.each(REGISTRY_FAULTS)('catches a registry that $fault', async ({ breaks, caughtBy }) => {
    expect(await failuresAmong(caughtBy, alone(breaks))).toEqual(caughtBy);
  });

  it.each(SHARED_REGISTRY_FAULTS)('catches a registry that $fault', async ({ breaks, caughtBy }) => {
    expect(await failuresAmong(caughtBy, shared(breaks))).toEqual(caughtBy);
  });

  describe('for handles that share their keys', () => {
    apiKeyRegistryConformance({ describe, it, ...shared(() => ({})) });
  });
});
