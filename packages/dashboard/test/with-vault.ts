import {
  type Administration,
  AdministrationError,
  type TenantKeyAdministration,
  type TenantKeyView,
} from '@searchgate/core/administration';

/** Keys at these providers, in memory. */
export function memoryVault(providers: readonly string[], now: () => number): TenantKeyAdministration {
  const keys = new Map<string, TenantKeyView>();
  const of = (organizationId: string) => [...keys].filter(([name]) => name.startsWith(`${organizationId} `));
  return {
    providers,
    async set(organizationId, providerId, apiKey) {
      if (!providers.includes(providerId))
        throw new AdministrationError('invalid_argument', 'providerId: expected the id of a provider.');
      const lastCharacters = apiKey.length < 12 ? '' : apiKey.slice(-4);
      const key = { providerId, lastCharacters, createdAtMs: now() };
      keys.set(`${organizationId} ${providerId}`, key);
      return Promise.resolve(key);
    },
    list: async (organizationId) => Promise.resolve(of(organizationId).map(([, key]) => key)),
    delete: async (organizationId, providerId) => Promise.resolve(keys.delete(`${organizationId} ${providerId}`)),
    erase: async (organizationId) => Promise.resolve(of(organizationId).filter(([name]) => keys.delete(name)).length),
    reseal: async () => Promise.resolve({ resealed: 0, unreadable: [] }),
  };
}

/** An administration with these keys. */
export function withVault(plain: Administration, tenantKeys: TenantKeyAdministration): Administration {
  return { ...plain, tenantKeys, as: (actor) => ({ ...plain.as(actor), tenantKeys }) };
}
