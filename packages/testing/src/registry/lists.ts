import assert from 'node:assert/strict';
import type { ApiKeyRegistry, RegistryPage } from '@searchgate/core/ledger';
import { allPages } from '../all-pages.js';
import { assertRefused } from '../assert-refused.js';

import { CREATED_AT_MS, keyOf, organizationOf } from './records.js';
import type { RegistrySuite } from './registry-suite.js';

/** Ids in the order of their times, compared by bytes: the order of a language would differ. */
const IN_ORDER = [
  ['z-first', 0],
  ...'! 10 9 B _ a a-b aB ab ~'.split(' ').map((id) => [id, 5] as const),
  ['last', 6],
] as const;
const IDS = IN_ORDER.map(([id]) => id);
/** Every fifth of twelve: 0, 5, 10, 3, 8, … */
const SHUFFLED = IN_ORDER.map((_, index) => IN_ORDER[(index * 5) % IN_ORDER.length] ?? IN_ORDER[0]);

/** The common part of lists of keys and lists of organizations. */
interface Listed {
  insert(registry: ApiKeyRegistry, id: string, createdAtMs: number): Promise<unknown>;
  list(registry: ApiKeyRegistry, query?: { cursor?: string; limit?: number }): Promise<RegistryPage<{ id: string }>>;
}

const LISTS: Record<string, Listed> = {
  keys: {
    insert: (registry, id, createdAtMs) => registry.insertKey(keyOf({ id, createdAtMs })),
    list: (registry, query) => registry.listKeys(query),
  },
  'keys of an organization': {
    async insert(registry, id, createdAtMs) {
      await registry.insertKey(keyOf({ id: `${id}.foreign`, organizationId: 'globex', createdAtMs }));
      await registry.insertKey(keyOf({ id, createdAtMs }));
    },
    list: (registry, query) => registry.listKeys({ ...query, organizationId: 'acme' }),
  },
  organizations: {
    insert: (registry, id, createdAtMs) => registry.insertOrganization(organizationOf({ id, createdAtMs })),
    list: (registry, query) => registry.listOrganizations(query),
  },
};

/** Lists: in order of creation, in pages that neither skip nor repeat, whatever is inserted in between. */
export function registerLists(suite: RegistrySuite): void {
  for (const [name, listed] of Object.entries(LISTS)) {
    suite.describe(`lists of ${name}`, () => registerList(suite, listed));
  }
  suite.describe('lists', () => registerFilters(suite));
}

function registerList({ test, testOfTwo }: RegistrySuite, { insert, list }: Listed): void {
  async function insertShuffled(registry: ApiKeyRegistry): Promise<void> {
    for (const [id, offsetMs] of SHUFFLED) await insert(registry, id, CREATED_AT_MS + offsetMs);
  }
  const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

  test('is empty at first', async ({ registry }) => {
    assert.deepEqual(await list(registry), { items: [], nextCursor: null });
  });

  testOfTwo('is in order of creation, and by the bytes of the ids where that is the same', async (registry, other) => {
    await insertShuffled(registry);
    const { items, nextCursor } = await list(other);
    assert.deepEqual({ ids: idsOf(items), nextCursor }, { ids: IDS, nextCursor: null });
  });

  test('walks in pages of any size and knows which is the last', async ({ registry }) => {
    await insertShuffled(registry);
    for (const limit of [1, 4, 5, 12, 13, 1_000]) {
      const pages = await allPages((next) => list(registry, { ...next, limit }));
      assert.deepEqual(
        pages.flatMap(({ items }) => idsOf(items)),
        IDS,
      );
      assert.equal(pages.length, Math.ceil(IDS.length / limit));
    }
  });

  test('neither skips nor repeats when more is inserted between pages', async ({ registry }) => {
    await insertShuffled(registry);
    const page = await list(registry, { limit: 6 });
    await insert(registry, 'before', CREATED_AT_MS);
    await insert(registry, 'Z-before', CREATED_AT_MS + 5);
    await insert(registry, 'b-after', CREATED_AT_MS + 5);
    await insert(registry, 'end', CREATED_AT_MS + 1_000_000);
    const cursor = page.nextCursor ?? 'none';
    const rest = await allPages((next) => list(registry, { cursor, limit: 2, ...next }));
    assert.deepEqual(idsOf(page.items), IDS.slice(0, 6));
    assert.deepEqual(
      rest.flatMap(({ items }) => idsOf(items)),
      ['a', 'a-b', 'aB', 'ab', 'b-after', '~', 'last', 'end'],
    );
    const again = await list(registry, { cursor, limit: 1 });
    assert.deepEqual(idsOf(again.items), ['a'], 'a cursor can be used again');
  });

  test('gives pages of 100 by default', async ({ registry }) => {
    const ids = Array.from({ length: 101 }, (_, index) => `id-${String(index).padStart(3, '0')}`);
    await Promise.all(ids.map((id) => insert(registry, id, CREATED_AT_MS)));
    const page = await list(registry);
    const last = await list(registry, { cursor: page.nextCursor ?? 'none' });
    assert.deepEqual([idsOf(page.items), idsOf(last.items), last.nextCursor], [ids.slice(0, 100), ['id-100'], null]);
  });

  test('refuses an invalid cursor', async ({ registry }) => {
    await insertShuffled(registry);
    for (const cursor of ['', 'nonsense', '-1', '1e3', '99999999999999999999', "' or 1=1 --", 5 as unknown as string]) {
      await assertRefused('invalid_cursor', () => list(registry, { cursor }));
    }
  });

  test('refuses invalid page sizes', async ({ registry }) => {
    for (const limit of [0, -1, 1_001, 1.5, Number.NaN, '5' as unknown as number]) {
      await assertRefused('invalid_argument', () => list(registry, { limit }));
    }
  });
}

function registerFilters({ test }: RegistrySuite): void {
  test('lists the keys of one organization', async ({ registry }) => {
    const keys = ['acme', 'globex', 'acme'].map((organizationId, index) =>
      keyOf({ id: `key-${index}`, organizationId }),
    );
    for (const key of keys) await registry.insertKey(key);
    const listOf = async (organizationId: string) => (await registry.listKeys({ organizationId })).items;
    assert.deepEqual(await listOf('acme'), [keys[0], keys[2]]);
    assert.deepEqual(await listOf('globex'), [keys[1]]);
    assert.deepEqual(await listOf('unknown'), []);
    assert.deepEqual((await registry.listKeys()).items, keys);
  });

  test('lists organizations whole, suspended ones too', async ({ registry }) => {
    const organizations = [organizationOf({ name: 'Acme', suspendedAtMs: 5 }), organizationOf({ id: 'globex' })];
    for (const organization of organizations) await registry.insertOrganization(organization);
    assert.deepEqual((await registry.listOrganizations()).items, organizations);
  });
}
