import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { encryptedTenantKeys } from './encrypted-tenant-keys.js';
import { memoryTenantKeyStore, type SealedKey, type TenantKeyStore } from './tenant-key-store.js';

const KEY = 'sk-live-0123456789abcdef';
const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const NOW_MS = Date.UTC(2026, 10, 29);

function start(secrets: readonly (Uint8Array | string)[] = [OLD], store = memoryTenantKeyStore()) {
  return { store, vault: encryptedTenantKeys({ store, secrets, clock: createFakeClock(NOW_MS) }) };
}

async function rowOf(store: TenantKeyStore, organizationId = 'acme', providerId = 'exa'): Promise<SealedKey> {
  const row = await store.find(organizationId, providerId);
  if (row === undefined) throw new Error('no row');
  return row;
}

/** The error of a rejection, with all its fields. It shows no eight characters of the key in a row. */
async function refusedOf(work: Promise<unknown>): Promise<string> {
  const text = await work.then(
    (found) => `opened: ${inspect(found)}`,
    (error: unknown) => inspect(error, { depth: null, showHidden: true }),
  );
  const parts = Array.from({ length: KEY.length - 7 }, (_, at) => KEY.slice(at, at + 8));
  expect(parts.filter((part) => text.includes(part))).toEqual([]);
  return text;
}

describe('encryptedTenantKeys', () => {
  it('finds, lists, replaces and deletes the keys of an organization', async () => {
    const { vault } = start();
    expect(await vault.find('acme', 'exa')).toBeUndefined();
    expect(await vault.set('acme', 'exa', 'k1')).toEqual({
      providerId: 'exa',
      lastCharacters: '',
      createdAtMs: NOW_MS,
    });
    const shown = await vault.set('acme', 'exa', KEY);
    expect(shown.lastCharacters).toBe('cdef');
    await vault.set('acme', 'brave', 'x'.repeat(600));
    expect(await vault.find('acme', 'exa')).toEqual({ apiKey: KEY });
    expect(await vault.list('acme')).toEqual([expect.objectContaining({ providerId: 'brave' }), shown]);
    expect(await vault.find('globex', 'exa')).toBeUndefined();
    expect([await vault.delete('acme', 'exa'), await vault.delete('acme', 'exa')]).toEqual([true, false]);
    expect([await vault.erase('acme'), await vault.erase('acme')]).toEqual([1, 0]);
  });

  it('gives the store no part of a key but its end, and the same key twice as two texts', async () => {
    const { vault, store } = start();
    await vault.set('acme', 'exa', KEY);
    const first = await rowOf(store);
    await vault.set('acme', 'exa', KEY);
    const second = await rowOf(store);
    expect(second.sealed).not.toBe(first.sealed);
    expect(second.sealed.length).toBe(first.sealed.length);
    const stored = `${inspect([first, second])} ${Buffer.from(first.sealed.slice(3), 'base64url').toString('latin1')}`;
    expect(stored).not.toContain(KEY.slice(0, 8));
    for (const form of ['hex', 'base64', 'base64url'] as const) expect(stored).not.toContain(OLD.toString(form));
    expect(inspect(vault, { depth: null, showHidden: true })).not.toContain(KEY);
  });

  it('opens no text of which any character was changed, cut off or added', async () => {
    const { vault, store } = start();
    await vault.set('acme', 'exa', KEY);
    const { sealed, ...row } = await rowOf(store);
    const wrong = [
      ...Array.from(sealed, (old, at) => `${sealed.slice(0, at)}${old === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`),
      ...Array.from(sealed, (old, at) => `${sealed.slice(0, at)}${old === '!' ? '"' : '!'}${sealed.slice(at + 1)}`),
      ...Array.from({ length: sealed.length }, (_, length) => sealed.slice(0, length)),
      ...['=', 'A', '!', ' '].map((end) => sealed + end),
      sealed.replace('v1', 'v2'),
      sealed.toUpperCase(),
    ];
    for (const text of wrong) {
      await store.put({ ...row, sealed: text });
      expect(await refusedOf(vault.find('acme', 'exa'))).toContain('the organization acme at exa does not open');
    }
    await store.put({ ...row, sealed });
    expect(await vault.find('acme', 'exa')).toEqual({ apiKey: KEY });
  });

  it('opens no text of another organization, provider or key, whole or in parts', async () => {
    const { vault, store } = start([OLD, NEW]);
    for (const [organization, provider] of [
      ['acme', 'exa'],
      ['acme', 'tavily'],
      ['globex', 'exa'],
    ] as const)
      await vault.set(organization, provider, KEY);
    const own = await rowOf(store);
    const other = await rowOf(store, 'globex', 'exa');
    const wrapped = 3 + 80;
    const moved: readonly SealedKey[] = [
      { ...own, organizationId: 'globex' },
      { ...own, providerId: 'tavily' },
      { ...own, hostKeyId: 'unknown' },
      { ...own, hostKeyId: (await sealedBy(NEW)).hostKeyId },
      { ...own, sealed: own.sealed.slice(0, wrapped) + other.sealed.slice(wrapped) },
      { ...own, sealed: other.sealed.slice(0, wrapped) + own.sealed.slice(wrapped) },
    ];
    for (const row of moved) {
      await store.put(row);
      expect(await refusedOf(vault.find(row.organizationId, row.providerId))).toMatch(/does not open|not given/);
    }
    // Whatever a store returns for the ids that were asked for.
    const { vault: misled } = start([OLD], { ...store, find: async () => Promise.resolve(own) });
    expect(await misled.find('acme', 'exa')).toEqual({ apiKey: KEY });
    expect(await refusedOf(misled.find('globex', 'exa'))).toContain('does not open');
  });

  it('opens nothing by another secret, and says so without the secret', async () => {
    const { vault, store } = start();
    await vault.set('acme', 'exa', KEY);
    const text = await refusedOf(start([NEW], store).vault.find('acme', 'exa'));
    expect(text).toContain('is sealed by a secret that is not given');
    for (const secret of [OLD, NEW])
      for (const form of ['hex', 'base64'] as const) expect(text).not.toContain(secret.toString(form).slice(0, 12));
  });

  it.each<[string, unknown]>([
    ['nothing', ''],
    ['spaces', 'sk 1'],
    ['a line end', `${KEY}\n`],
    ['quotes', `"${KEY}"`],
    ['a letter outside of ASCII', `${KEY}é`],
    ['601 characters', KEY.padEnd(601, 'x')],
    ['an object', { KEY }],
    ['nothing at all', undefined],
  ])('refuses a key with %s, without showing it', async (_name, apiKey) => {
    const { vault, store } = start();
    expect(await refusedOf(vault.set('acme', 'exa', apiKey as string))).toContain('found another value (not shown)');
    expect(await store.list('acme')).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['of 31 bytes', NEW.subarray(1)],
    ['of 33 bytes', Buffer.concat([NEW, NEW.subarray(0, 1)])],
    ['of 32 characters', 'x'.repeat(32)],
    ['in hexadecimal', NEW.toString('hex')],
    ['with a line end', `${NEW.toString('base64')}\n`],
    ['that is none', 7],
  ])('refuses a secret %s, without showing it', (_name, secret) => {
    const make = () => start([OLD, secret as string]);
    expect(make).toThrow(/encryptedTenantKeys\.secrets\[1\]: found .*, expected 32 random bytes/);
    expect(make).not.toThrow(String(secret).slice(0, 9));
  });

  it('lists and deletes without a secret, and neither sets nor seals', async () => {
    const { vault, store } = start();
    await vault.set('acme', 'exa', KEY);
    const { vault: bare } = start([], store);
    expect(await bare.list('acme')).toHaveLength(1);
    await expect(bare.find('acme', 'exa')).rejects.toThrow('not given');
    await expect(bare.set('acme', 'exa', KEY)).rejects.toThrow('expected at least one secret');
    await expect(bare.reseal()).rejects.toThrow('expected at least one secret');
    expect(await bare.delete('acme', 'exa')).toBe(true);
  });
});

async function sealedBy(secret: Buffer): Promise<SealedKey> {
  const { vault, store } = start([secret]);
  await vault.set('acme', 'exa', KEY);
  return rowOf(store);
}

describe('a change of the secret', () => {
  it('opens keys of both secrets, as bytes and as base64, and seals by the first', async () => {
    const { vault, store } = start();
    await vault.set('acme', 'exa', KEY);
    const { vault: both } = start([NEW.toString('base64'), OLD.toString('base64')], store);
    expect(await both.find('acme', 'exa')).toEqual({ apiKey: KEY });
    await both.set('acme', 'tavily', KEY);
    expect(await both.reseal()).toEqual({ resealed: 1, unreadable: [] });
    expect(await both.reseal()).toEqual({ resealed: 0, unreadable: [] });
    const { vault: later } = start([NEW], store);
    expect(await later.find('acme', 'exa')).toEqual({ apiKey: KEY });
    expect((await later.find('acme', 'tavily'))?.apiKey).toBe(KEY);
    expect(await vault.list('acme')).toHaveLength(2);
  });

  it('seals thousands of keys again while others are set and deleted, from two processes, after an interruption', async () => {
    const { vault, store } = start();
    const names = Array.from({ length: 2_300 }, (_, at) => `org-${at}`);
    for (const name of names) await vault.set(name, 'exa', `${KEY}-${name}`);
    let left = 500;
    const broken = {
      ...store,
      reseal: async (...given: Parameters<TenantKeyStore['reseal']>) => {
        left -= 1;
        if (left < 0) throw new Error('the connection broke');
        return store.reseal(...given);
      },
    };
    const secrets = [NEW, OLD];
    await expect(start(secrets, broken).vault.reseal()).rejects.toThrow('the connection broke');
    const { vault: fresh } = start(secrets, store);
    const changes = names.slice(0, 1_500).map(async (name, at) => {
      if (at % 3 === 0) return vault.set(name, 'exa', `changed-${name}`);
      return at % 3 === 1 ? fresh.set(name, 'exa', `changed-${name}`) : fresh.delete(name, 'exa');
    });
    await Promise.all([...changes, fresh.reseal(), start(secrets, store).vault.reseal()]);
    await fresh.reseal();
    const { vault: later } = start([NEW], store);
    for (const [at, name] of names.entries()) {
      const found = await later.find(name, 'exa');
      const expected = at >= 1_500 ? `${KEY}-${name}` : at % 3 === 2 ? undefined : `changed-${name}`;
      expect(found?.apiKey).toBe(expected);
    }
  });

  it('names the keys that do not open, leaves them, and ends', async () => {
    const { vault, store } = start();
    for (const name of ['acme', 'globex', 'initech']) await vault.set(name, 'exa', KEY);
    const bad = { ...(await rowOf(store)), sealed: (await rowOf(store, 'globex')).sealed };
    await store.put(bad);
    expect(await start([NEW, OLD], store).vault.reseal()).toEqual({
      resealed: 2,
      unreadable: [{ organizationId: 'acme', providerId: 'exa' }],
    });
    expect(await rowOf(store)).toEqual(bad);
  });
});
