import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { encryptedTenantKeys } from './encrypted-tenant-keys.js';
import { memoryTenantKeyStore, type SealedKey, type TenantKeyStore } from './tenant-key-store.js';

const KEY = 'sk-live-0123456789abcdef';
const [OLD, NEW] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')] as const;
const NOW_MS = Date.UTC(2026, 10, 29);

function start(secrets: readonly string[] = [OLD], store = memoryTenantKeyStore()) {
  return { store, vault: encryptedTenantKeys({ store, secrets, clock: createFakeClock(NOW_MS) }) };
}

/** The row of a key that was set. */
async function setRow({ vault, store } = start(), organizationId = 'acme', providerId = 'exa'): Promise<SealedKey> {
  await vault.set(organizationId, providerId, KEY);
  return (await store.find(organizationId, providerId)) as SealedKey;
}

/** A rejection with all fields of its error. It shows no eight characters of key or secret in a row. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const text = await work.then(
    () => 'nothing was refused',
    (error: unknown) => inspect(error, { depth: null, showHidden: true }),
  );
  for (const secret of [KEY, OLD, NEW])
    for (let at = 0; at <= secret.length - 8; at += 1) expect(text).not.toContain(secret.slice(at, at + 8));
  return text;
}

describe('encryptedTenantKeys', () => {
  it('finds, lists, replaces and deletes the keys of an organization', async () => {
    const { vault } = start();
    expect(await vault.find('acme', 'exa')).toBeUndefined();
    const view = { providerId: 'exa', createdAtMs: NOW_MS };
    expect(await vault.set('acme', 'exa', 'k1')).toEqual({ ...view, lastCharacters: '' });
    expect(await vault.set('acme', 'exa', KEY)).toEqual({ ...view, lastCharacters: 'cdef' });
    await vault.set('acme', 'brave', 'x'.repeat(600));
    expect(await vault.find('acme', 'exa')).toEqual({ apiKey: KEY });
    const brave = { ...view, providerId: 'brave', lastCharacters: 'xxxx' };
    expect(await vault.list('acme')).toEqual([brave, { ...view, lastCharacters: 'cdef' }]);
    expect(await vault.find('globex', 'exa')).toBeUndefined();
    expect([await vault.delete('acme', 'exa'), await vault.delete('acme', 'exa')]).toEqual([true, false]);
    expect([await vault.erase('acme'), await vault.erase('acme')]).toEqual([1, 0]);
  });

  it('gives the store no part of a key but its end, and the same key twice as two texts', async () => {
    const started = start();
    const [first, second] = [await setRow(started), await setRow(started)];
    expect(second.sealed).not.toBe(first.sealed);
    const bytes = Buffer.from(first.sealed.slice(3), 'base64url').toString('latin1');
    const stored = inspect([bytes, first, second, started.vault], { depth: null, showHidden: true });
    for (const secret of [KEY, OLD]) expect(stored).not.toContain(secret.slice(0, 8));
  });

  it('opens no text of which any character was changed, cut off or added', async () => {
    const { vault, store } = start();
    const { sealed, ...row } = await setRow({ vault, store });
    const changed = Array.from(sealed).flatMap((old, at) =>
      [old === 'A' ? 'B' : 'A', old === '!' ? '"' : '!', ''].map(
        (other) => sealed.slice(0, at) + other + sealed.slice(at + 1),
      ),
    );
    const cut = Array.from({ length: sealed.length }, (_, length) => sealed.slice(0, length));
    const added = ['=', 'A', '!', ' '].map((end) => sealed + end);
    for (const text of [...changed, ...cut, ...added, sealed.replace('v1', 'v2'), sealed.toUpperCase()]) {
      await store.put({ ...row, sealed: text });
      expect(await refusalOf(vault.find('acme', 'exa'))).toContain('the organization acme at exa does not open');
    }
    await store.put({ ...row, sealed });
    expect(await vault.find('acme', 'exa')).toEqual({ apiKey: KEY });
  });

  it('opens no text of another organization, provider, secret or key, whole or in parts', async () => {
    const { vault, store } = start([OLD, NEW]);
    const own = await setRow({ vault, store });
    const other = await setRow({ vault, store }, 'globex');
    const end = 3 + 80;
    const moved: readonly SealedKey[] = [
      { ...own, organizationId: 'globex' },
      { ...own, providerId: 'tavily' },
      { ...own, hostKeyId: 'unknown' },
      { ...own, hostKeyId: (await setRow(start([NEW]))).hostKeyId },
      { ...own, sealed: own.sealed.slice(0, end) + other.sealed.slice(end) },
      { ...own, sealed: other.sealed.slice(0, end) + own.sealed.slice(end) },
    ];
    for (const row of moved) {
      await store.put(row);
      expect(await refusalOf(vault.find(row.organizationId, row.providerId))).toMatch(/does not open|not given/);
    }
    // Whatever a store returns for the ids that were asked for.
    const { vault: misled } = start([OLD], { ...store, find: async () => Promise.resolve(own) });
    expect(await misled.find('acme', 'exa')).toEqual({ apiKey: KEY });
    expect(await refusalOf(misled.find('globex', 'exa'))).toContain('does not open');
  });

  it('refuses what is no key, without showing it', async () => {
    const { vault, store } = start();
    const wrong = ['', 'sk 1', `${KEY}\n`, `"${KEY}"`, `${KEY}é`, KEY.padEnd(601, 'x'), { KEY }, undefined];
    for (const apiKey of wrong as readonly string[])
      expect(await refusalOf(vault.set('acme', 'exa', apiKey))).toContain('found another value (not shown)');
    expect(await store.list('acme')).toEqual([]);
  });

  it('refuses what is no secret, without showing it', () => {
    const wrong = [OLD.slice(4), OLD.slice(0, -1), `${OLD}\n`, 'x'.repeat(32), `AAAA${OLD}`, 7];
    for (const secret of wrong as readonly string[]) {
      const make = () => start([NEW, secret]);
      expect(make).toThrow(/encryptedTenantKeys\.secrets\[1\]: found .* \(not shown\), expected /);
      expect(make).not.toThrow(String(secret).slice(0, 9));
    }
  });

  it('lists and deletes without a secret, and neither opens, sets nor seals', async () => {
    const started = start();
    await setRow(started);
    const { vault } = start([], started.store);
    expect(await vault.list('acme')).toHaveLength(1);
    expect(await refusalOf(vault.find('acme', 'exa'))).toContain('is sealed by a secret that is not given');
    for (const refused of [vault.set('acme', 'exa', KEY), vault.reseal()])
      await expect(refused).rejects.toMatchObject({ reason: 'invalid_argument' });
    expect(await vault.delete('acme', 'exa')).toBe(true);
  });
});

describe('a change of the secret', () => {
  it('opens keys of both secrets, and seals by the first', async () => {
    const { vault, store } = start();
    await setRow({ vault, store });
    const { vault: both } = start([NEW, OLD], store);
    expect(await both.find('acme', 'exa')).toEqual({ apiKey: KEY });
    await both.set('acme', 'tavily', KEY);
    expect(await both.reseal()).toEqual({ resealed: 1, unreadable: [] });
    expect(await both.reseal()).toEqual({ resealed: 0, unreadable: [] });
    for (const id of ['exa', 'tavily'])
      expect(await start([NEW], store).vault.find('acme', id)).toEqual({ apiKey: KEY });
    expect(await refusalOf(vault.find('acme', 'exa'))).toContain('is sealed by a secret that is not given');
  });

  it('loses no key of thousands that others set and delete, in two processes, after an interruption', async () => {
    const { vault, store } = start();
    const names = Array.from({ length: 2_300 }, (_, at) => `org-${at}`);
    for (const name of names) await vault.set(name, 'exa', `${KEY}-${name}`);
    let left = 500;
    const reseal: TenantKeyStore['reseal'] = async (...given) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('the connection broke')) : store.reseal(...given);
    };
    await expect(start([NEW, OLD], { ...store, reseal }).vault.reseal()).rejects.toThrow('the connection broke');
    const { vault: both } = start([NEW, OLD], store);
    const changes = names.slice(0, 1_500).map(async (name, at) => {
      if (at % 3 === 2) return both.delete(name, 'exa');
      return (at % 3 === 0 ? vault : both).set(name, 'exa', `changed-${name}`);
    });
    await Promise.all([...changes, both.reseal(), start([NEW, OLD], store).vault.reseal()]);
    await both.reseal();
    const { vault: later } = start([NEW], store);
    for (const [at, name] of names.entries()) {
      const expected = at >= 1_500 ? `${KEY}-${name}` : at % 3 === 2 ? undefined : `changed-${name}`;
      expect((await later.find(name, 'exa'))?.apiKey).toBe(expected);
    }
  });

  it('names the keys that do not open, leaves them, and ends', async () => {
    const started = start();
    const own = await setRow(started);
    const bad = { ...own, sealed: (await setRow(started, 'globex')).sealed };
    await started.store.put(bad);
    const unreadable = [{ organizationId: 'acme', providerId: 'exa' }];
    expect(await start([NEW, OLD], started.store).vault.reseal()).toEqual({ resealed: 1, unreadable });
    expect(await started.store.find('acme', 'exa')).toEqual(bad);
  });
});
