import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from './markdown.js';
import { exactProperties, programOf, publicEntries, publicNames } from './public-types.js';

/** A change of the registry names fields exactly: storages write every present field. The operations of `administration` drop `undefined`. */
const CHANGES = [
  "packages/core/src/auth/api-key-registry.ts: Partial<Omit<ApiKeyRecord, 'id' | 'hash' | 'organizationId' | 'createdAtMs'>>",
  "packages/core/src/auth/api-key-registry.ts: Partial<Omit<Organization, 'id' | 'createdAtMs'>>",
];

describe('the public types of core', () => {
  const entries = publicEntries('core');
  let program: ReturnType<typeof programOf>;
  beforeAll(() => (program = programOf(entries)), 60_000);

  it('accept undefined for optional properties, so that hosts need not remove absent values', () => {
    expect(exactProperties(program, entries).sort()).toEqual(CHANGES);
  });

  it('are at most 60 names at the root, with the values', () => {
    const names = publicNames(program, join(root, 'packages', 'core', 'src', 'index.ts'));
    expect(names.length).toBeGreaterThan(40);
    expect(names.length).toBeLessThanOrEqual(60);
  });
});
