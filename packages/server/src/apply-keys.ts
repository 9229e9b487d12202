import { isLedgerError, type Logger } from '@searchgate/core';
import type { ApiKeyChange, ApiKeyRecord, ApiKeyRegistry } from '@searchgate/core/ledger';
import { changedFields } from './changed-fields.js';
import { type ConfiguredKey, expiredKeys } from './configured-keys.js';
import { problem, refuse } from './problems.js';

/** A configured key that the registry already has. */
export interface KnownKey {
  readonly index: number;
  readonly wanted: ConfiguredKey;
  readonly found: ApiKeyRecord;
}

/**
 * Compares the keys with the registry, without changes.
 *
 * @param nowMs the time behind which a new key must expire; `null` for any. A key of the registry may have expired since it was made.
 * @throws ConfigurationError for a key with another secret or organization in the registry, and for a new key that has expired.
 */
export async function checkKeys(
  apiKeys: ApiKeyRegistry,
  keys: readonly ConfiguredKey[],
  nowMs: number | null,
): Promise<void> {
  const isNew = new Set<number>();
  for (const [index, wanted] of keys.entries()) {
    const holder = (await apiKeys.findByHash(wanted.hash))?.id ?? wanted.id;
    const found = await apiKeys.findKey(holder);
    if (found === undefined) isNew.add(index);
    else refuseAnotherIdentity(index, wanted, found);
  }
  if (nowMs !== null) refuse(expiredKeys(keys, nowMs).filter(({ index }) => isNew.has(index)));
}

/**
 * Inserts missing keys. Several processes may do so at once.
 *
 * @returns the keys that the registry already has.
 * @throws ConfigurationError as {@link checkKeys}, for keys that another process has just inserted.
 */
export async function insertNewKeys(
  apiKeys: ApiKeyRegistry,
  keys: readonly ConfiguredKey[],
  nowMs: number,
): Promise<KnownKey[]> {
  const known: KnownKey[] = [];
  for (const [index, wanted] of keys.entries()) {
    const found = (await apiKeys.findKey(wanted.id)) ?? (await insertedBySomebodyElse(apiKeys, wanted, nowMs));
    if (found === undefined) continue;
    refuseAnotherIdentity(index, wanted, found);
    known.push({ index, wanted, found });
  }
  return known;
}

/** Updates keys that differ from the configuration. A revoked key stays revoked. */
export async function updateChangedKeys(
  apiKeys: ApiKeyRegistry,
  known: readonly KnownKey[],
  { log, nowMs }: { readonly log: Pick<AppliedLog, 'info' | 'warn'>; readonly nowMs: number },
): Promise<void> {
  for (const { wanted, found } of known) {
    if (found.revokedAtMs !== null && !wanted.revoked)
      log.warn({ keyId: found.id }, 'the key is revoked in the ledger, which the configuration cannot undo');
    const change = changeOf(wanted, found, nowMs);
    const fields = Object.keys(change);
    if (fields.length === 0) continue;
    await apiKeys.updateKey(found.id, change);
    log.info({ keyId: found.id, fields }, 'the key was changed by the configuration');
  }
}

/** The log of changes by the configuration. */
export interface AppliedLog extends Pick<Logger, 'warn'> {
  info(fields: object, message: string): void;
}

async function insertedBySomebodyElse(
  apiKeys: ApiKeyRegistry,
  { revoked, ...key }: ConfiguredKey,
  nowMs: number,
): Promise<ApiKeyRecord | undefined> {
  try {
    await apiKeys.insertKey({ ...key, createdAtMs: nowMs, revokedAtMs: revoked ? nowMs : null });
    return undefined;
  } catch (error) {
    if (!isLedgerError(error) || error.reason !== 'duplicate_key') throw error;
    const holder = (await apiKeys.findByHash(key.hash))?.id ?? key.id;
    return apiKeys.findKey(holder);
  }
}

function refuseAnotherIdentity(index: number, wanted: ConfiguredKey, found: ApiKeyRecord): void {
  const path = `apiKeys[${index}]`;
  if (found.hash !== wanted.hash || found.id !== wanted.id)
    throw problem(
      path,
      `the secret of a key ${wanted.id}`,
      `another secret: the ledger has the key ${found.id} already`,
    );
  if (found.organizationId === wanted.organizationId) return;
  throw problem(
    `${path}.organizationId`,
    JSON.stringify(wanted.organizationId),
    `"${found.organizationId}", to which the key ${found.id} belongs in the ledger; give the other organization a key of its own`,
  );
}

const CHANGEABLE = [
  'label',
  'limit',
  'limitReset',
  'allowedModels',
  'budgets',
  'rateLimit',
  'maxConcurrent',
  'domains',
  'expiresAtMs',
] as const satisfies readonly (keyof ApiKeyChange)[];

function changeOf(wanted: ConfiguredKey, found: ApiKeyRecord, nowMs: number): ApiKeyChange {
  const change = changedFields(CHANGEABLE, wanted, found);
  return wanted.revoked && found.revokedAtMs === null ? { ...change, revokedAtMs: nowMs } : change;
}
