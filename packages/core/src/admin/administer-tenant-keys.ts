import type { ApiKeyRegistry } from '../auth/api-key-registry.js';
import type { TenantKeyVault } from '../auth/encrypted-tenant-keys.js';
import { checkLedgerId } from '../base/options/check-argument.js';
import { nearestName } from '../base/options/nearest-name.js';
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
  readonly gateway: KeyedGateway | undefined;
}

interface KeyedGateway {
  invalidateTenantKey?(organizationId: string, providerId: string): void;
}

export function administerTenantKeys({
  vault,
  providers,
  apiKeys,
  clock,
  gateway,
}: TenantKeyDeps): TenantKeyAdministration {
  const limited = portsWithTimeLimits(vault, clock);
  const ids = providers.filter(({ ownKeys }) => ownKeys === true).map(({ id }) => id);

  function refuseProvider(providerId: string): never {
    const isOther = providers.some(({ id }) => id === providerId);
    const why = isOther
      ? `${providerId} needs more than a key, such as an address: it takes no keys of organizations`
      : `providerId: expected the id of a provider.${suggestion(ids, String(providerId))}`;
    throw new AdministrationError('invalid_argument', why);
  }

  return {
    providers: ids,
    ...withAdministrationErrors<Omit<TenantKeyAdministration, 'providers'>>({
      async set(organizationId, providerId, apiKey) {
        checkLedgerId('organizationId', organizationId);
        if (!ids.includes(providerId)) refuseProvider(providerId);
        if (apiKeys !== undefined) await requireOrganization(apiKeys, organizationId);
        const key = await limited.set(organizationId, providerId, apiKey);
        gateway?.invalidateTenantKey?.(organizationId, providerId);
        return key;
      },
      list: limited.list,
      async delete(organizationId, providerId) {
        const wasThere = await limited.delete(organizationId, providerId);
        gateway?.invalidateTenantKey?.(organizationId, providerId);
        return wasThere;
      },
      async erase(organizationId) {
        const erased = await limited.erase(organizationId);
        for (const id of ids) gateway?.invalidateTenantKey?.(organizationId, id);
        return erased;
      },
      // As long as it takes: each row is a step of its own.
      reseal: vault.reseal,
    }),
  };
}

/** The message does not repeat the id, which may be a key, given by mistake. */
function suggestion(ids: readonly string[], providerId: string): string {
  const nearest = nearestName(providerId, ids);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}
