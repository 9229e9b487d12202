import { type AdministrationOptions, encryptedTenantKeys, type TenantKeyVault } from '@searchgate/core/administration';
import type { TenantKeyStore } from '@searchgate/core/ledger';
import { vendorProviders } from './create-providers.js';
import { KEEPS_TENANT_KEYS, TENANT_KEYS_SECRET } from './environment.js';
import { problem } from './problems.js';

/**
 * The vault of a service; `undefined` without a secret.
 *
 * @throws ConfigurationError for a ledger that keeps no vendor keys; and without a secret, for one that has some: calls of their organizations would be made,
 * and billed, by the account of the operator.
 */
export async function openVault(
  store: TenantKeyStore | undefined,
  secrets: readonly string[] | null,
): Promise<TenantKeyVault | undefined> {
  if (secrets !== null && store === undefined) throw problem(TENANT_KEYS_SECRET, 'a value', KEEPS_TENANT_KEYS);
  if (secrets !== null && store !== undefined) return encryptedTenantKeys({ store, secrets });
  // No secret has this id.
  if ((await store?.listSealedByOthers('none'))?.length) {
    const expected = `the secret of the ledger's vendor keys of organizations; or delete them with: admin tenant-keys delete`;
    throw problem(TENANT_KEYS_SECRET, 'nothing', expected);
  }
  return undefined;
}

/**
 * The keys that calls use. Without a secret, those that other processes set meanwhile do not open: their organizations' calls fail, and are not billed to the
 * operator. `undefined` for a ledger that keeps no vendor keys.
 */
export function keysOfCalls(
  vault: TenantKeyVault | undefined,
  store: TenantKeyStore | undefined,
): Pick<TenantKeyVault, 'find'> | undefined {
  return vault ?? (store && encryptedTenantKeys({ store, secrets: [] }));
}

/** The option `tenantKeys` of administration. */
export function tenantKeysOf(vault: TenantKeyVault | undefined): AdministrationOptions['tenantKeys'] {
  return vault && { vault, providers: vendorProviders() };
}
