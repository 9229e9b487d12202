import assert from 'node:assert/strict';
import { type ApiKeyChange, type ApiKeyRecord, MAX_NANO_USD } from '@searchgate/core/ledger';
import { assertRefused, outcomeOf } from '../assert-refused.js';

import { assertFound, assertNoChange, CREATED_AT_MS, FULL_KEY, hashOf, keyOf } from './records.js';
import type { RegistrySuite } from './registry-suite.js';

/** Values that engines may round, trim or confuse. */
const EXACT_FIELDS: Record<string, readonly ApiKeyChange[]> = {
  limit: [0n, 1n, 2n ** 53n + 1n, MAX_NANO_USD - 1n, MAX_NANO_USD, null].map((limit) => ({ limit })),
  label: [
    '',
    ' spaced ',
    'Ωmega — 鍵 🔑',
    "Robert'); DROP TABLE keys;--",
    '\\x00 %s $1 {}',
    'a\r\nb\tc',
    'é'.normalize('NFD'),
  ].map((label) => ({ label })),
  allowedModels: [[], [''], ['exa/answer', 'b', 'a', 'b'], ['a,b', '"c"', '鍵/🔑'], null].map((allowedModels) => ({
    allowedModels,
  })),
  rateLimit: [{ requests: 1, periodMs: 1_000 }, { requests: 1_000_000, periodMs: 86_400_000 }, null].map(
    (rateLimit) => ({ rateLimit }),
  ),
  domains: [{ only: ['a.example'] }, { never: ['a.example', 'b.example'] }, null].map((domains) => ({ domains })),
  maxConcurrent: [1, 1_000_000, null].map((maxConcurrent) => ({ maxConcurrent })),
  limitReset: (['daily', 'weekly', 'monthly', null] as const).map((limitReset) => ({ limit: 1n, limitReset })),
  expiresAtMs: [0, 1, CREATED_AT_MS, 8_640_000_000_000_000, null].map((expiresAtMs) => ({ expiresAtMs })),
};

/** A value of every mutable field, all different from {@link FULL_KEY} and `keyOf()`. */
const CHANGES: readonly ApiKeyChange[] = [
  { label: 'renamed' },
  { limit: 7n },
  { limitReset: 'daily' },
  { allowedModels: [] },
  { rateLimit: { requests: 60, periodMs: 60_000 } },
  { maxConcurrent: 4 },
  { domains: { never: ['example.com'] } },
  { expiresAtMs: CREATED_AT_MS + 5 },
];
const ALL_CHANGES: ApiKeyChange = Object.assign({}, ...CHANGES) as ApiKeyChange;
const CLEARED: ApiKeyChange = {
  limit: null,
  limitReset: null,
  allowedModels: null,
  rateLimit: null,
  maxConcurrent: null,
  domains: null,
  expiresAtMs: null,
};

/** Keys: stored as given, to the nanodollar and the character; unique by id and by hash; changed field by field; revoked permanently. */
export function registerKeys(suite: RegistrySuite): void {
  suite.describe('keys', () => {
    registerInsertion(suite);
    registerUniqueness(suite);
    registerChanges(suite);
    registerRevocation(suite);
  });
}

function registerInsertion({ test, testOfTwo }: RegistrySuite): void {
  test('knows nothing of a key never inserted', async ({ registry }) => {
    await registry.insertKey(keyOf());
    assert.equal(await registry.findKey('key-2'), undefined);
    assert.equal(await registry.findKey('KEY-1'), undefined);
    assert.equal(await registry.findByHash(hashOf('key-2')), undefined);
    assert.equal(await registry.findByHash('nonsense'), undefined);
  });

  testOfTwo('finds a key by id and by hash', async (registry, other) => {
    for (const key of [keyOf(), FULL_KEY]) {
      await registry.insertKey(key);
      assert.deepEqual(await other.findKey(key.id), key);
      await assertFound(other, key);
    }
  });

  for (const [field, values] of Object.entries(EXACT_FIELDS)) {
    test(`keeps every ${field} exactly, inserted and changed`, async ({ registry }) => {
      await registry.insertKey(keyOf({ id: 'changed' }));
      for (const [index, value] of values.entries()) {
        const key = keyOf({ id: `key-${index}`, ...value });
        await registry.insertKey(key);
        assert.deepEqual(await registry.findKey(key.id), key);
        await assertFound(registry, key);
        await registry.updateKey('changed', value);
        await assertFound(registry, keyOf({ id: 'changed', ...value }));
      }
    });
  }

  test('keeps a key as it is when the writer or a reader changes its copy', async ({ registry }) => {
    const slugs = ['exa/answer'];
    await registry.insertKey(keyOf({ allowedModels: slugs }));
    slugs.push('exa/other');
    const readings = [registry.findKey('key-1'), registry.findByHash(hashOf('key-1'))];
    for (const read of await Promise.all(readings)) {
      Reflect.set(read ?? {}, 'label', 'forged');
      Reflect.set(read?.allowedModels ?? [], '0', 'forged/slug');
    }
    for (const listed of (await registry.listKeys()).items) Reflect.set(listed, 'limit', 1n);
    const expected = keyOf({ allowedModels: ['exa/answer'] });
    assert.deepEqual(await registry.findKey('key-1'), expected);
    await assertFound(registry, expected);
  });
}

function registerUniqueness({ test, testOfTwo }: RegistrySuite): void {
  const taken: Record<string, Partial<ApiKeyRecord>> = {
    'an id': { hash: hashOf('another') },
    'a hash': { id: 'another', hash: hashOf('key-1') },
    'both id and hash': {},
  };
  for (const [name, changes] of Object.entries(taken)) {
    test(`refuses ${name} that is taken, and changes nothing`, async ({ registry }) => {
      await registry.insertKey(keyOf());
      await assertNoChange(registry, () =>
        assertRefused('duplicate_key', () =>
          registry.insertKey(keyOf({ organizationId: 'new', label: 'another', ...changes })),
        ),
      );
      await assertFound(registry, keyOf());
      assert.equal(await registry.findByHash(hashOf('another')), undefined);
    });
  }

  test('refuses the id and the hash of a revoked key too', async ({ registry }) => {
    await registry.insertKey(keyOf({ revokedAtMs: CREATED_AT_MS }));
    await assertRefused('duplicate_key', () => registry.insertKey(keyOf({ hash: hashOf('another') })));
    await assertRefused('duplicate_key', () => registry.insertKey(keyOf({ id: 'another', hash: hashOf('key-1') })));
  });

  const rivals: Record<string, (index: number) => Partial<ApiKeyRecord>> = {
    id: (index) => ({ hash: hashOf(`rival-${index}`) }),
    hash: (index) => ({ id: `rival-${index}`, hash: hashOf('key-1') }),
  };
  for (const [field, rival] of Object.entries(rivals)) {
    testOfTwo(`lets exactly one of 20 keys with the same ${field} in`, async (registry, other) => {
      const keys = Array.from({ length: 20 }, (_, index) => keyOf({ organizationId: `org-${index}`, ...rival(index) }));
      const insertions = keys.map((key, index) => outcomeOf((index % 2 === 0 ? registry : other).insertKey(key)));
      const outcomes = await Promise.all(insertions);
      const winner = keys[outcomes.indexOf('done')];
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1);
      assert.equal(outcomes.filter((outcome) => outcome === 'duplicate_key').length, 19);
      assert.deepEqual((await registry.listKeys()).items, [winner]);
      const organizations = (await registry.listOrganizations()).items.map(({ id }) => id);
      assert.deepEqual(organizations, [winner?.organizationId], 'a refused key makes no organization known');
    });
  }
}

function registerChanges({ test, testOfTwo }: RegistrySuite): void {
  test('changes nothing of a key it does not know', async ({ registry }) => {
    await registry.insertKey(keyOf());
    await assertNoChange(registry, async () => {
      assert.equal(await registry.updateKey('key-2', { label: 'renamed' }), undefined);
    });
  });

  testOfTwo('changes the fields given and no others', async (registry, other) => {
    for (const before of [keyOf(), FULL_KEY]) {
      await registry.insertKey(before);
      let expected = before;
      for (const change of [{}, ...CHANGES, CLEARED, ALL_CHANGES]) {
        expected = { ...expected, ...change };
        assert.deepEqual(await registry.updateKey(before.id, change), expected);
        assert.deepEqual(await other.findKey(before.id), expected);
        await assertFound(other, expected);
      }
    }
  });

  test('changes one key alone', async ({ registry }) => {
    await registry.insertKey(keyOf());
    await registry.insertKey(keyOf({ id: 'key-2' }));
    await registry.updateKey('key-1', { label: 'renamed', revokedAtMs: CREATED_AT_MS });
    assert.deepEqual(await registry.findKey('key-2'), keyOf({ id: 'key-2' }));
  });

  testOfTwo('lets changes of different fields at once all stand', async (registry, other) => {
    for (const id of ['key-1', 'key-2', 'key-3', 'key-4']) {
      await registry.insertKey(keyOf({ id, limit: 1n }));
      const revocation = { revokedAtMs: CREATED_AT_MS + 9 };
      const changes = [...CHANGES, revocation];
      await Promise.all(changes.map((change, index) => (index % 2 === 0 ? registry : other).updateKey(id, change)));
      assert.deepEqual(await other.findKey(id), keyOf({ id, ...ALL_CHANGES, ...revocation }));
    }
  });
}

function registerRevocation({ test, testOfTwo }: RegistrySuite): void {
  test('lets the first revocation stand, while other fields still change', async ({ registry }) => {
    await registry.insertKey(keyOf());
    const revokedAtMs = CREATED_AT_MS + 60_000;
    await registry.updateKey('key-1', { revokedAtMs });
    for (const later of [null, 0, CREATED_AT_MS, revokedAtMs + 1]) {
      const label = `tried ${later}`;
      const expected = keyOf({ label, revokedAtMs });
      assert.deepEqual(await registry.updateKey('key-1', { label, revokedAtMs: later }), expected);
      await assertFound(registry, expected);
    }
  });

  test('lets a revocation at the time 0 stand as well', async ({ registry }) => {
    await registry.insertKey(keyOf({ revokedAtMs: 0 }));
    assert.deepEqual(await registry.updateKey('key-1', { revokedAtMs: null }), keyOf({ revokedAtMs: 0 }));
  });

  testOfTwo('lets one of 20 revocations at once stand', async (registry, other) => {
    await registry.insertKey(keyOf());
    const times = Array.from({ length: 20 }, (_, index) => CREATED_AT_MS + index);
    const revoked = await Promise.all(
      times.map((revokedAtMs, index) => (index % 2 === 0 ? registry : other).updateKey('key-1', { revokedAtMs })),
    );
    const stands = (await registry.findKey('key-1'))?.revokedAtMs;
    assert.ok(stands != null && times.includes(stands));
    assert.deepEqual(new Set(revoked.map((key) => key?.revokedAtMs)), new Set([stands]));
  });
}
