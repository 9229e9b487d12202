import { type ApiKeyRecord, type ApiKeyRegistry, LedgerError, newOrganization } from '@searchgate/core/ledger';

/*
 * Registries with one fault each. The conformance suite must catch them: a suite that cannot fail proves nothing.
 */

/** One fault on top of a sound registry. Called once per handle. */
export type BreakRegistry = (sound: ApiKeyRegistry) => Partial<ApiKeyRegistry>;

export interface RegistryFault {
  readonly fault: string;
  readonly breaks: BreakRegistry;
  /** The tests that must fail, each as group and name. */
  readonly caughtBy: readonly string[];
}

/** Stores something other than the given record. */
const storing =
  (spoil: (key: Partial<ApiKeyRecord>) => Partial<ApiKeyRecord>): BreakRegistry =>
  (sound) => ({
    insertKey: (key) => sound.insertKey({ ...key, ...spoil(key) }),
    updateKey: (id, change) => sound.updateKey(id, { ...change, ...spoil(change) }),
  });

/** Lets a later revocation replace an earlier one. */
const revokingAnew: BreakRegistry = (sound) => {
  const latest = new Map<string, number | null>();
  const show = <K extends { readonly id: string; readonly revokedAtMs: number | null }>(key: K | undefined) =>
    key && { ...key, revokedAtMs: latest.get(key.id) ?? (latest.has(key.id) ? null : key.revokedAtMs) };
  return {
    findKey: async (id) => show(await sound.findKey(id)),
    findByHash: async (hash) => show(await sound.findByHash(hash)),
    async updateKey(id, change) {
      const updated = await sound.updateKey(id, change);
      if (change.revokedAtMs !== undefined) latest.set(id, change.revokedAtMs);
      return show(updated);
    },
  };
};

export const REGISTRY_FAULTS: readonly RegistryFault[] = [
  {
    fault: 'passes over a key that is there already',
    breaks: (sound) => ({ insertKey: (key) => sound.insertKey(key).catch(() => undefined) }),
    caughtBy: [
      'keys: refuses an id that is taken, and changes nothing',
      'keys: refuses a hash that is taken, and changes nothing',
      'keys: refuses the id and the hash of a revoked key too',
      'keys: lets exactly one of 20 keys with the same id in',
      'keys: lets exactly one of 20 keys with the same hash in',
    ],
  },
  {
    fault: 'looks whether an id is taken before it inserts',
    breaks: (sound) => ({
      async insertKey(key) {
        if ((await sound.findKey(key.id)) !== undefined) throw new LedgerError('duplicate_key', 'taken');
        await sound.insertKey(key).catch((error: unknown) => {
          if (key.id !== 'key-1') throw error;
        });
      },
    }),
    caughtBy: ['keys: lets exactly one of 20 keys with the same id in'],
  },
  {
    fault: 'makes the organization of a refused key known',
    breaks: (sound) => ({
      async insertKey(key) {
        const { organizationId: id, createdAtMs } = key;
        await sound.insertOrganization(newOrganization(id, createdAtMs));
        await sound.insertKey(key);
      },
    }),
    caughtBy: [
      'keys: refuses an id that is taken, and changes nothing',
      'keys: lets exactly one of 20 keys with the same hash in',
    ],
  },
  {
    fault: 'writes all fields back when one changes',
    breaks: (sound) => ({
      async updateKey(id, change) {
        const { label, limit, limitReset, allowedModels, expiresAtMs } = (await sound.findKey(id)) ?? {};
        if (label === undefined) return undefined;
        const known = { limit: limit ?? null, limitReset: limitReset ?? null, allowedModels: allowedModels ?? null };
        return sound.updateKey(id, { label, ...known, expiresAtMs: expiresAtMs ?? null, ...change });
      },
    }),
    caughtBy: ['keys: lets changes of different fields at once all stand'],
  },
  {
    fault: 'lets revocations be changed',
    breaks: revokingAnew,
    caughtBy: [
      'keys: lets the first revocation stand, while other fields still change',
      'keys: lets a revocation at the time 0 stand as well',
      'keys: lets one of 20 revocations at once stand',
    ],
  },
  {
    fault: 'keeps limits as doubles',
    breaks: storing(({ limit }) => (limit == null ? {} : { limit: BigInt(Number(limit)) })),
    caughtBy: ['keys: keeps every limit exactly, inserted and changed'],
  },
  {
    fault: 'takes a limit of zero for none',
    breaks: storing(({ limit }) => (limit === 0n ? { limit: null } : {})),
    caughtBy: ['keys: keeps every limit exactly, inserted and changed'],
  },
  {
    fault: 'takes an empty list of models for none',
    breaks: storing(({ allowedModels }) => (allowedModels?.length === 0 ? { allowedModels: null } : {})),
    caughtBy: [
      'keys: keeps every allowedModels exactly, inserted and changed',
      'keys: changes the fields given and no others',
    ],
  },
  {
    fault: 'keeps labels in one form of Unicode',
    breaks: storing(({ label }) => (label === undefined ? {} : { label: label.normalize('NFC') })),
    caughtBy: ['keys: keeps every label exactly, inserted and changed'],
  },
  {
    fault: 'shows hashes to gateways',
    breaks: (sound) => ({
      async findByHash(hash) {
        const key = await sound.findByHash(hash);
        return key && { ...key, hash };
      },
    }),
    caughtBy: ['keys: finds a key by id and by hash'],
  },
  {
    fault: 'hands out what it keeps',
    breaks: (sound) => {
      const kept = new Map<string, ApiKeyRecord>();
      return {
        async findKey(id) {
          const key = kept.get(id) ?? structuredClone(await sound.findKey(id));
          if (key !== undefined) kept.set(id, key);
          return key;
        },
      };
    },
    caughtBy: ['keys: keeps a key as it is when the writer or a reader changes its copy'],
  },
  {
    fault: 'resumes an organization that gets a key',
    breaks: (sound) => ({
      async insertKey(key) {
        await sound.insertKey(key);
        await sound.updateOrganization(key.organizationId, { suspendedAtMs: null });
      },
    }),
    caughtBy: ['organizations: keeps a suspended organization suspended when it gets a key'],
  },
  {
    fault: 'takes a suspension at the time 0 for none',
    breaks: (sound) => ({
      updateOrganization: (id, change) =>
        sound.updateOrganization(id, change.suspendedAtMs === 0 ? { ...change, suspendedAtMs: null } : change),
    }),
    caughtBy: ['organizations: suspends and resumes every key of an organization and no other'],
  },
  {
    fault: 'writes over an organization that is known',
    breaks: (sound) => ({
      async insertOrganization(organization) {
        const isNew = await sound.insertOrganization(organization);
        await sound.updateOrganization(organization.id, { name: organization.name });
        return isNew;
      },
    }),
    caughtBy: [
      'organizations: leaves a known organization unchanged',
      'organizations: lets exactly one of 20 insertions at once be the first',
    ],
  },
  {
    fault: 'sorts ids as a dictionary does',
    breaks: (sound) => ({
      async listKeys(query) {
        const { items, nextCursor } = await sound.listKeys(query);
        const sorted = items.toSorted((a, b) => a.createdAtMs - b.createdAtMs || a.id.localeCompare(b.id));
        return { items: sorted, nextCursor };
      },
    }),
    caughtBy: [
      'lists of keys: is in order of creation, and by the bytes of the ids where that is the same',
      'lists of keys: walks in pages of any size and knows which is the last',
    ],
  },
  {
    fault: 'counts its way to a page',
    breaks: (sound) => ({
      async listOrganizations({ cursor = '0', limit = 100 } = {}) {
        const { items } = await sound.listOrganizations({ limit: 1_000 });
        const end = Number(cursor) + limit;
        return { items: items.slice(Number(cursor), end), nextCursor: end < items.length ? String(end) : null };
      },
    }),
    caughtBy: [
      'lists of organizations: neither skips nor repeats when more is inserted between pages',
      'lists of organizations: refuses an invalid cursor',
    ],
  },
  {
    fault: 'always promises another page',
    breaks: (sound) => ({
      async listKeys(query) {
        const page = await sound.listKeys(query);
        const last = page.items.at(-1);
        const isFull = page.items.length === (query?.limit ?? 100);
        return last !== undefined && isFull ? { ...page, nextCursor: `${last.createdAtMs}.${last.id}` } : page;
      },
    }),
    caughtBy: ['lists of keys: walks in pages of any size and knows which is the last'],
  },
  {
    fault: 'lists the keys of every organization',
    breaks: (sound) => ({
      listKeys: ({ cursor, limit } = {}) =>
        sound.listKeys({ ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) }),
    }),
    caughtBy: [
      'lists: lists the keys of one organization',
      'lists of keys of an organization: is in order of creation, and by the bytes of the ids where that is the same',
    ],
  },
  {
    fault: 'changes one field before it looks at the next',
    breaks: (sound) => ({
      async updateKey(id, change) {
        if (change.label !== undefined) await sound.updateKey(id, { label: change.label });
        return sound.updateKey(id, change);
      },
    }),
    caughtBy: [
      'bad arguments: refuses negative, huge and non-bigint limits',
      'bad arguments: refuses wrong values of revokedAtMs',
    ],
  },
  {
    fault: 'finds nothing where it should refuse',
    breaks: (sound) => ({ findKey: (id) => sound.findKey(id).catch(() => undefined) }),
    caughtBy: ['bad arguments: refuses malformed ids as the id of a key to find'],
  },
];
