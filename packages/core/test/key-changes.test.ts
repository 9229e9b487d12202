import { createFakeClock } from '@searchgate/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { Administration, ApiKeyView } from '../src/admin/administration.js';
import { createAdministration } from '../src/admin/create-administration.js';
import { cachedApiKeys } from '../src/auth/cached-api-keys.js';
import { memoryApiKeys } from '../src/auth/memory-api-keys.js';
import { createGateway, type Gateway } from '../src/gateway.js';
import { memoryLedger } from '../src/ledger/memory-ledger.js';
import { exa } from '../src/providers/exa/exa-provider.js';

const MAX_AGE_MS = 5_000;
/** A cached key is served exactly up to its hard age. */
const UNTIL_FORGOTTEN_MS = MAX_AGE_MS + 1;
const gateways: Gateway[] = [];

afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
});

/** Two gateways over one registry, as in two processes, with a key that both have cached. */
async function start() {
  const clock = createFakeClock();
  const ledger = memoryLedger({ clock });
  const apiKeys = memoryApiKeys();
  const open = () => {
    const gateway = createGateway({
      providers: [exa({ apiKey: 'a-key-of-exa' })],
      ledger,
      apiKeys,
      clock,
      keyCacheMaxAgeMs: MAX_AGE_MS,
    });
    gateways.push(gateway);
    return gateway;
  };
  const [here, there] = [open(), open()];
  const administration = createAdministration({ ledger, apiKeys, gateway: here, clock });
  const { secret, key } = await administration.apiKeys.create({ organizationId: 'acme', label: 'ci', limit: '1' });
  const ask = async (gateway: Gateway): Promise<unknown> =>
    gateway.key({ apiKey: secret }).then(
      ({ label, limit }) => ({ label, limit }),
      (error: { reason: string }) => error.reason,
    );
  for (const gateway of [here, there]) expect(await ask(gateway)).toEqual({ label: 'ci', limit: 1 });
  return { administration, key, clock, here, there, ask };
}

type Change = (administration: Administration, key: ApiKeyView) => Promise<unknown>;

const CHANGES: Record<string, { change: Change; seen: unknown }> = {
  revocation: { change: ({ apiKeys }, { id }) => apiKeys.revoke(id), seen: 'revoked_api_key' },
  'raised limit': {
    change: ({ apiKeys }, { id }) => apiKeys.update(id, { limit: '7.50', label: 'raised' }),
    seen: { label: 'raised', limit: 7.5 },
  },
  suspension: {
    change: ({ organizations }, { organizationId }) => organizations.suspend(organizationId),
    seen: 'organization_suspended',
  },
};

describe('a change to a key', () => {
  it.each(Object.entries(CHANGES))('is known here at once, elsewhere in 5 s: %s', async (_name, { change, seen }) => {
    const { administration, key, clock, here, there, ask } = await start();
    const before = { label: 'ci', limit: 1 };
    await change(administration, key);
    expect(await ask(here)).toEqual(seen);
    expect(await ask(there)).toEqual(before);
    await clock.advance(UNTIL_FORGOTTEN_MS);
    expect(await ask(there)).toEqual(seen);
  });

  it('takes effect the same way when an organization is resumed', async () => {
    const { administration, clock, here, there, ask } = await start();
    await administration.organizations.suspend('acme');
    await clock.advance(UNTIL_FORGOTTEN_MS);
    for (const gateway of [here, there]) expect(await ask(gateway)).toBe('organization_suspended');
    await administration.organizations.resume('acme');
    expect(await ask(here)).toMatchObject({ label: 'ci' });
    expect(await ask(there)).toBe('organization_suspended');
    await clock.advance(UNTIL_FORGOTTEN_MS);
    expect(await ask(there)).toMatchObject({ label: 'ci' });
  });

  it('makes a new key usable at once, even after an earlier failed look-up', async () => {
    const registry = memoryApiKeys();
    const clock = createFakeClock();
    const cache = cachedApiKeys(registry, { maxKeys: 10, maxAgeMs: MAX_AGE_MS, timeoutMs: 1_000, clock });
    const hashes: string[] = [];
    const impatient = {
      ...registry,
      async insertKey(key: Parameters<typeof registry.insertKey>[0]) {
        hashes.push(key.hash);
        expect(await cache.findByHash(key.hash)).toBeUndefined();
        return registry.insertKey(key);
      },
    };
    const gateway = { invalidateKey: cache.invalidate };
    const administration = createAdministration({ ledger: memoryLedger(), apiKeys: impatient, gateway });
    await administration.apiKeys.create({ organizationId: 'acme', label: 'ci' });
    expect(await cache.findByHash(hashes[0] ?? '')).toMatchObject({ label: 'ci' });
  });
});
