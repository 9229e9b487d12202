import { type Administration, AdministrationError, type TenantKeyView } from '@searchgate/core/administration';

/** An administration with a vault in memory, for these providers. */
export function withVault(
  administration: Administration,
  providers: readonly string[],
  now: () => number,
): Administration {
  const keys = new Map<string, TenantKeyView>();
  const nameOf = (organizationId: string, providerId: string) => `${organizationId} ${providerId}`;
  const tenantKeys: Administration['tenantKeys'] = {
    async set(organizationId, providerId, apiKey) {
      if (!providers.includes(providerId))
        throw new AdministrationError('invalid_argument', `providerId: expected one of ${providers.join(', ')}`);
      const lastCharacters = apiKey.length < 12 ? '' : apiKey.slice(-4);
      keys.set(nameOf(organizationId, providerId), { providerId, lastCharacters, createdAtMs: now() });
      return Promise.resolve();
    },
    list: async (organizationId) =>
      Promise.resolve([...keys].flatMap(([name, key]) => (name.startsWith(`${organizationId} `) ? [key] : []))),
    delete: async (organizationId, providerId) => Promise.resolve(keys.delete(nameOf(organizationId, providerId))),
    reseal: async () => Promise.resolve(0),
  };
  return { ...administration, tenantKeys, as: (actor) => ({ ...administration.as(actor), tenantKeys }) };
}
