import { memoryApiKeys } from '@searchgate/core';
import { type ApiKeyRegistry, LedgerError } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import { apiKeyRegistryConformance } from '../src/api-key-registry-conformance.js';
import type { ApiKeyRegistryConformanceOptions } from '../src/registry/registry-suite.js';
import { type BreakRegistry, REGISTRY_FAULTS, type RegistryFaults } from './registry/broken-registries.js';

/** Faults that only show with several handles or processes on the same keys. */
const SHARED_REGISTRY_FAULTS: RegistryFaults = {
  'remembers in each handle what it has found': [
    (sound) => {
      const found = new Map<string, ReturnType<ApiKeyRegistry['findByHash']>>();
      return {
        async findByHash(hash) {
          const key = found.get(hash) ?? sound.findByHash(hash);
          found.set(hash, key);
          return key;
        },
      };
    },
    'organizations: suspends and resumes every key of an organization and no other',
    'keys: changes the fields given and no others',
  ],
  'keeps suspensions in the handle that made them': [
    (sound) => {
      const suspended = new Map<string, number | null>();
      return {
        async updateOrganization(id, change) {
          const { suspendedAtMs, ...rest } = change;
          if (suspendedAtMs !== undefined) suspended.set(id, suspendedAtMs);
          const organization = await sound.updateOrganization(id, rest);
          return organization && { ...organization, suspendedAtMs: suspended.get(id) ?? null };
        },
      };
    },
    'organizations: suspends and resumes every key of an organization and no other',
    'opened again: keeps everything it acknowledged',
  ],
  'takes its own cursors only': [
    (sound) => {
      const given = new Set<string>();
      return {
        async listKeys(query = {}) {
          if (query.cursor !== undefined && !given.has(query.cursor)) throw new LedgerError('invalid_cursor', 'whose?');
          const page = await sound.listKeys(query);
          if (page.nextCursor !== null) given.add(page.nextCursor);
          return page;
        },
      };
    },
    'opened again: continues a list where the last process stopped',
  ],
};

type Under = Pick<ApiKeyRegistryConformanceOptions, 'create' | 'supports'>;

/** Handles on one memory registry, each broken separately. */
const shared = (breaks: BreakRegistry): Under => ({
  supports: { connections: true, reopen: true },
  async create() {
    const sound = memoryApiKeys();
    const connect = async () => ({ ...sound, ...breaks(sound) });
    return { registry: await connect(), connect, reopen: connect, dispose: async () => undefined };
  },
});

const alone = (breaks: BreakRegistry): Under => ({ create: shared(breaks).create });

/** Runs tests by group and name. @returns the failed tests. */
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
  it.each(Object.entries(REGISTRY_FAULTS))('catches a registry that %s', async (_fault, [breaks, ...caughtBy]) => {
    expect(await failuresAmong(caughtBy, alone(breaks))).toEqual(caughtBy);
  });

  it.each(Object.entries(SHARED_REGISTRY_FAULTS))(
    'catches a registry that %s',
    async (_fault, [breaks, ...caughtBy]) => {
      expect(await failuresAmong(caughtBy, shared(breaks))).toEqual(caughtBy);
    },
  );

  describe('for handles that share their keys', () => {
    apiKeyRegistryConformance({ describe, it, ...shared(() => ({})) });
  });
});
