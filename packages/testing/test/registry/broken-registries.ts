import { type ApiKeyRecord, type ApiKeyRegistry, LedgerError, newOrganization } from '@searchgate/core/ledger';

/*
 * Registries with one fault each. The conformance suite must catch them: a suite that cannot fail proves nothing.
 */

/** One fault on top of a sound registry. Called once per handle. */
export type BreakRegistry = (sound: ApiKeyRegistry) => Partial<ApiKeyRegistry>;

/** By its fault: what is broken, and the tests that must fail, each as group and name. */
export type RegistryFaults = Readonly<Record<string, readonly [breaks: BreakRegistry, ...caughtBy: string[]]>>;

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

export const REGISTRY_FAULTS: RegistryFaults = {
  'passes over a key that is there already': [
    (sound) => ({ insertKey: (key) => sound.insertKey(key).catch(() => undefined) }),
    'keys: refuses an id that is taken, and changes nothing',
    'keys: refuses a hash that is taken, and changes nothing',
    'keys: refuses the id and the hash of a revoked key too',
    'keys: lets exactly one of 20 keys with the same id in',
    'keys: lets exactly one of 20 keys with the same hash in',
  ],
  'looks whether an id is taken before it inserts': [
    (sound) => ({
      async insertKey(key) {
        if ((await sound.findKey(key.id)) !== undefined) throw new LedgerError('duplicate_key', 'taken');
        await sound.insertKey(key).catch((error: unknown) => {
          if (key.id !== 'key-1') throw error;
        });
      },
    }),
    'keys: lets exactly one of 20 keys with the same id in',
  ],
  'makes the organization of a refused key known': [
    (sound) => ({
      async insertKey(key) {
        const { organizationId: id, createdAtMs } = key;
        await sound.insertOrganization(newOrganization(id, createdAtMs));
        await sound.insertKey(key);
      },
    }),
    'keys: refuses an id that is taken, and changes nothing',
    'keys: lets exactly one of 20 keys with the same hash in',
  ],
  'writes all fields back when one changes': [
    (sound) => ({
      async updateKey(id, change) {
        const { label, limit, limitReset, allowedModels, expiresAtMs } = (await sound.findKey(id)) ?? {};
        if (label === undefined) return undefined;
        const known = { limit: limit ?? null, limitReset: limitReset ?? null, allowedModels: allowedModels ?? null };
        return sound.updateKey(id, { label, ...known, expiresAtMs: expiresAtMs ?? null, ...change });
      },
    }),
    'keys: lets changes of different fields at once all stand',
  ],
  'lets revocations be changed': [
    revokingAnew,
    'keys: lets the first revocation stand, while other fields still change',
    'keys: lets a revocation at the time 0 stand as well',
    'keys: lets one of 20 revocations at once stand',
  ],
  'keeps limits as doubles': [
    storing(({ limit }) => (limit == null ? {} : { limit: BigInt(Number(limit)) })),
    'keys: keeps every limit exactly, inserted and changed',
  ],
  'takes a limit of zero for none': [
    storing(({ limit }) => (limit === 0n ? { limit: null } : {})),
    'keys: keeps every limit exactly, inserted and changed',
  ],
  'takes an empty list of models for none': [
    storing(({ allowedModels }) => (allowedModels?.length === 0 ? { allowedModels: null } : {})),
    'keys: keeps every allowedModels exactly, inserted and changed',
    'keys: changes the fields given and no others',
  ],
  'keeps labels in one form of Unicode': [
    storing(({ label }) => (label === undefined ? {} : { label: label.normalize('NFC') })),
    'keys: keeps every label exactly, inserted and changed',
  ],
  'shows hashes to gateways': [
    (sound) => ({
      async findByHash(hash) {
        const key = await sound.findByHash(hash);
        return key && { ...key, hash };
      },
    }),
    'keys: finds a key by id and by hash',
  ],
  'hands out what it keeps': [
    (sound) => {
      const kept = new Map<string, ApiKeyRecord>();
      return {
        async findKey(id) {
          const key = kept.get(id) ?? structuredClone(await sound.findKey(id));
          if (key !== undefined) kept.set(id, key);
          return key;
        },
      };
    },
    'keys: keeps a key as it is when the writer or a reader changes its copy',
  ],
  'resumes an organization that gets a key': [
    (sound) => ({
      async insertKey(key) {
        await sound.insertKey(key);
        await sound.updateOrganization(key.organizationId, { suspendedAtMs: null });
      },
    }),
    'organizations: keeps a suspended organization suspended when it gets a key',
  ],
  'takes a suspension at the time 0 for none': [
    (sound) => ({
      updateOrganization: (id, change) =>
        sound.updateOrganization(id, change.suspendedAtMs === 0 ? { ...change, suspendedAtMs: null } : change),
    }),
    'organizations: suspends and resumes every key of an organization and no other',
  ],
  'writes over an organization that is known': [
    (sound) => ({
      async insertOrganization(organization) {
        const isNew = await sound.insertOrganization(organization);
        await sound.updateOrganization(organization.id, { name: organization.name });
        return isNew;
      },
    }),
    'organizations: leaves a known organization unchanged',
    'organizations: lets exactly one of 20 insertions at once be the first',
  ],
  'sorts ids as a dictionary does': [
    (sound) => ({
      async listKeys(query) {
        const { items, nextCursor } = await sound.listKeys(query);
        const sorted = items.toSorted((a, b) => a.createdAtMs - b.createdAtMs || a.id.localeCompare(b.id));
        return { items: sorted, nextCursor };
      },
    }),
    'lists of keys: is in order of creation, and by the bytes of the ids where that is the same',
    'lists of keys: walks in pages of any size and knows which is the last',
  ],
  'counts its way to a page': [
    (sound) => ({
      async listOrganizations({ cursor = '0', limit = 100 } = {}) {
        const { items } = await sound.listOrganizations({ limit: 1_000 });
        const end = Number(cursor) + limit;
        return { items: items.slice(Number(cursor), end), nextCursor: end < items.length ? String(end) : null };
      },
    }),
    'lists of organizations: neither skips nor repeats when more is inserted between pages',
    'lists of organizations: refuses an invalid cursor',
  ],
  'always promises another page': [
    (sound) => ({
      async listKeys(query) {
        const page = await sound.listKeys(query);
        const last = page.items.at(-1);
        const isFull = page.items.length === (query?.limit ?? 100);
        return last !== undefined && isFull ? { ...page, nextCursor: `${last.createdAtMs}.${last.id}` } : page;
      },
    }),
    'lists of keys: walks in pages of any size and knows which is the last',
  ],
  'lists the keys of every organization': [
    (sound) => ({
      listKeys: ({ cursor, limit } = {}) =>
        sound.listKeys({ ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) }),
    }),
    'lists: lists the keys of one organization',
    'lists of keys of an organization: is in order of creation, and by the bytes of the ids where that is the same',
  ],
  'changes one field before it looks at the next': [
    (sound) => ({
      async updateKey(id, change) {
        if (change.label !== undefined) await sound.updateKey(id, { label: change.label });
        return sound.updateKey(id, change);
      },
    }),
    'bad arguments: refuses negative, huge and non-bigint limits',
    'bad arguments: refuses wrong values of revokedAtMs',
  ],
  'finds nothing where it should refuse': [
    (sound) => ({ findKey: (id) => sound.findKey(id).catch(() => undefined) }),
    'bad arguments: refuses malformed ids as the id of a key to find',
  ],
};
