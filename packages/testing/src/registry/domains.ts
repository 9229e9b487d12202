import assert from 'node:assert/strict';
import type { DomainRule } from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import { assertFound, assertNoChange, hashOf, keyOf, organizationOf } from './records.js';
import type { RegistrySuite } from './registry-suite.js';

const BAD_RULES: readonly unknown[] = [
  {},
  [],
  'example.org',
  { only: [] },
  { only: 'example.org' },
  { only: ['example.org'], never: ['example.com'] },
  { only: ['https://example.org'] },
  { never: ['localhost'] },
  { never: ['*.example.org'] },
  { never: Array.from({ length: 1_001 }, (_, at) => `site-${at}.example`) },
];

/** Rules of domains: of organizations and keys, normalized, and found together. */
export function registerDomains({ describe, test }: RegistrySuite): void {
  describe('domains', () => {
    test('gives a key the rules of its organization and its own', async ({ registry }) => {
      const [wide, narrow]: DomainRule[] = [{ only: ['example.org'] }, { never: ['blog.example.org'] }];
      await registry.insertOrganization(organizationOf({ domains: wide }));
      const key = keyOf({ domains: narrow });
      await registry.insertKey(key);
      await assertFound(registry, key, { domains: wide });
      await registry.updateOrganization('acme', { domains: null });
      await assertFound(registry, key);
      await registry.updateKey(key.id, { domains: null });
      await assertFound(registry, keyOf());
    });

    test('stores domains in lower case, with A-labels, sorted, each once', async ({ registry }) => {
      const given = { only: ['Example.ORG', 'bücher.example', 'example.org'] };
      const stored = { only: ['example.org', 'xn--bcher-kva.example'] };
      await registry.insertOrganization(organizationOf({ domains: given }));
      assert.deepEqual((await registry.findOrganization('acme'))?.domains, stored);
      await registry.insertKey(keyOf({ domains: given }));
      assert.deepEqual((await registry.findKey('key-1'))?.domains, stored);
      const changed = await registry.updateKey('key-1', { domains: { never: ['B.example'] } });
      assert.deepEqual(changed?.domains, { never: ['b.example'] });
    });

    test('refuses other rules, and changes nothing', async ({ registry }) => {
      await registry.insertKey(keyOf());
      await assertNoChange(registry, async () => {
        for (const domains of BAD_RULES as readonly DomainRule[]) {
          await assertRefused('invalid_argument', () => registry.updateOrganization('acme', { domains }));
          await assertRefused('invalid_argument', () => registry.updateKey('key-1', { domains }));
          const insert = { id: 'new', hash: hashOf('new'), domains };
          await assertRefused('invalid_argument', () => registry.insertKey(keyOf(insert)));
        }
      });
    });
  });
}
