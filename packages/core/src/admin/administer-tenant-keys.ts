import type { ApiKeyRegistry } from '../auth/api-key-registry.js';
import type { TenantKeyVault } from '../auth/encrypted-tenant-keys.js';
import type { Clock } from '../base/time/clock.js';
import { portsWithTimeLimits } from '../ledger/with-time-limit.js';
import { requireOrganization } from './administer-organizations.js';
import type { TenantKeyAdministration } from './administration.js';
import { AdministrationError, withAdministrationErrors } from './administration-error.js';

/** The fields of a provider that the administration of vendor keys uses. */
export interface KeyedProvider {
  /** As slugs begin. */
  readonly id: string;
  /** Whether it needs nothing of an organization but a key. */
  readonly ownKeys?: boolean | undefined;
}

interface TenantKeyDeps {
  readonly vault: TenantKeyVault;
  readonly providers: readonly KeyedProvider[];
  /** Absent for a host that authenticates callers: it knows the organizations. */
  readonly apiKeys: ApiKeyRegistry | undefined;
  readonly clock: Clock;
  readonly gateway: { invalidateTenantKey?(organizationId: string, providerId: string): void } | undefined;
}

export function administerTenantKeys(deps: TenantKeyDeps): TenantKeyAdministration {
  const { vault, apiKeys, gateway } = deps;
  const limited = portsWithTimeLimits(vault, deps.clock);
  const providers = deps.providers.filter(({ ownKeys }) => ownKeys === true).map(({ id }) => id);

  async function changed<T>(organizationId: string, ids: readonly string[], change: Promise<T>): Promise<T> {
    const result = await change;
    for (const id of ids) gateway?.invalidateTenantKey?.(organizationId, id);
    return result;
  }

  const operations: Omit<TenantKeyAdministration, 'providers'> = {
    async set(organizationId, providerId, apiKey) {
      // The message does not repeat the id, which may be a key, given by mistake.
      const expected = `providerId: expected a vendor that needs nothing but a key: ${providers.join(', ')}`;
      if (!providers.includes(providerId)) throw new AdministrationError('invalid_argument', expected);
      if (apiKeys !== undefined) await requireOrganization(apiKeys, organizationId);
      return changed(organizationId, [providerId], limited.set(organizationId, providerId, apiKey));
    },
    list: limited.list,
    delete: (id, providerId) => changed(id, [providerId], limited.delete(id, providerId)),
    erase: (id) => changed(id, providers, limited.erase(id)),
    // As long as it takes: each row is a step of its own.
    reseal: vault.reseal,
  };
  return { providers, ...withAdministrationErrors(operations) };
}
