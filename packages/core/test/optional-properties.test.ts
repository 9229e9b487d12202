import { describe, expect, it } from 'vitest';
import { exactProperties, publicEntries } from './public-types.js';

/** A change of the registry names exactly what changes: storages write every field that is there. The verbs of `administration` leave `undefined` out. */
const CHANGES = [
  "packages/core/src/auth/api-key-registry.ts: Partial< Pick<ApiKeyRecord, 'label' | 'limit' | 'limitReset' | 'allowedModels' | 'expiresAtMs' | 'revokedAtMs'> >",
  "packages/core/src/auth/api-key-registry.ts: Partial<Pick<Organization, 'name' | 'suspendedAtMs'>>",
];

describe('the optional properties of public types', () => {
  it('accept undefined, so that hosts need not take absent values out', () => {
    const exact = exactProperties(publicEntries('core'));
    expect(exact.sort()).toEqual(CHANGES);
  }, 60_000);
});
