import { checkLedgerId, checkText, checkTime } from '../base/options/check-argument.js';
import {
  type ArgumentChecks,
  createOpenState,
  type EngineOf,
  type OpenState,
  wrapOperations,
} from '../base/options/open-state.js';

/** A vendor's key of an organization as a database keeps it: encrypted. */
export interface SealedKey {
  /** Whose key it is. */
  readonly organizationId: string;
  /** The id of the vendor's provider. */
  readonly providerId: string;
  /** The encrypted key: at most 1,000 printable characters, opaque to the store. */
  readonly sealed: string;
  /** Which key of the host sealed it, for rotation. */
  readonly hostKeyId: string;
  /** Its last four characters, for people; empty for a key of fewer than 12. */
  readonly lastCharacters: string;
  /** When the organization set it, in milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
}

/**
 * Where encrypted keys of vendors are kept, one for each organization and provider. Every operation is one atomic step; in a durable store an acknowledged
 * operation survives `kill -9`. The conformance suite is in `@searchgate/testing`.
 */
export interface TenantKeyStore {
  /**
   * Sets or replaces the key. @param before replaces it only if it is still sealed as this: a change in between stands. @returns whether it was put.
   *
   * @throws LedgerError `schema_window_open` while a process that knows no such keys shares the ledger.
   */
  put(key: SealedKey, before?: string): Promise<boolean>;
  /** All keys of an organization, by the bytes of the provider's id. */
  list(organizationId: string): Promise<readonly SealedKey[]>;
  /** Keys that another key of the host has sealed, at most 1,000, in any order. */
  listSealedByOthers(hostKeyId: string): Promise<readonly SealedKey[]>;
  /** @returns whether there was a key. */
  delete(organizationId: string, providerId: string): Promise<boolean>;
}

/** The operations of a {@link TenantKeyStore}, with checked arguments. */
export type TenantKeyStoreEngine = EngineOf<TenantKeyStore>;

const checkIds = (organizationId: string, providerId: string): void => {
  checkLedgerId('organizationId', organizationId);
  checkLedgerId('providerId', providerId);
};

function checkSealedKey({ organizationId, providerId, sealed, hostKeyId, lastCharacters, createdAtMs }: SealedKey) {
  checkIds(organizationId, providerId);
  checkText('sealed', sealed);
  checkLedgerId('hostKeyId', hostKeyId);
  checkText('lastCharacters', lastCharacters);
  checkTime('createdAtMs', createdAtMs);
}

const CHECKS: ArgumentChecks<TenantKeyStore, TenantKeyStoreEngine> = {
  put: checkSealedKey,
  list: (organizationId) => checkLedgerId('organizationId', organizationId),
  listSealedByOthers: (hostKeyId) => checkLedgerId('hostKeyId', hostKeyId),
  delete: checkIds,
};

const OPERATIONS = Object.keys(CHECKS) as (keyof TenantKeyStore)[];

/** Makes a {@link TenantKeyStore} of an engine: checks arguments. @param open of the ledger that the store belongs to. Default: always open. */
export function createTenantKeyStore(
  engine: TenantKeyStoreEngine,
  open: OpenState = createOpenState(),
): TenantKeyStore {
  return wrapOperations<TenantKeyStore>(engine, OPERATIONS, { interceptor: open, checks: CHECKS });
}

const MAX_PAGE = 1_000;

/** Keys of this process, for tests and hosts without a database: a restart forgets them. */
export function memoryTenantKeyStore(): TenantKeyStore {
  const keys = new Map<string, SealedKey>();
  // Ids have no spaces.
  const nameOf = (organizationId: string, providerId: string) => `${organizationId} ${providerId}`;
  return createTenantKeyStore({
    put(key, before) {
      const name = nameOf(key.organizationId, key.providerId);
      if (before !== undefined && keys.get(name)?.sealed !== before) return false;
      keys.set(name, Object.freeze({ ...key }));
      return true;
    },
    list(organizationId) {
      const own = [...keys.values()].filter((key) => key.organizationId === organizationId);
      return own.sort((a, b) => (a.providerId < b.providerId ? -1 : 1));
    },
    listSealedByOthers: (id) => [...keys.values()].filter(({ hostKeyId }) => hostKeyId !== id).slice(0, MAX_PAGE),
    delete: (organizationId, providerId) => keys.delete(nameOf(organizationId, providerId)),
  });
}
