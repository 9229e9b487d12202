import { type ApiKeyRegistry, newOrganization } from '@searchgate/core/ledger';
import { type AppliedLog, checkIdentities, insertNewKeys, updateChangedKeys } from './apply-keys.js';
import { changedFields } from './changed-fields.js';
import type { ServerConfig } from './config-file.js';
import type { ConfiguredKey } from './configured-keys.js';
import { grantCredits } from './grant-credits.js';
import type { OpenLedger } from './ledger/open-ledger.js';

/** What a ledger is brought up to. */
export interface Applied {
  readonly organizations: ServerConfig['organizations'];
  readonly keys: readonly ConfiguredKey[];
}

export interface ApplyOptions {
  readonly log: AppliedLog;
  readonly nowMs: number;
  /**
   * `false` where there is no configuration of the operator's, only the demo: the ledger may have been given credits and keys since, and they
   * stay as they are, without a warning. Default: keys are changed to what is configured, and keys that the configuration does not name are reported.
   */
  readonly changesKeys?: boolean;
}

/** This many keys of the ledger are compared with the configuration, to find those it does not name. */
const KEYS_TOLD_OF = 1_000;

/**
 * Brings organizations, credits and keys of a ledger up to a configuration. Done at every start, by any number of processes at once: nothing is granted
 * or inserted twice. What the ledger has beside the configuration is left alone.
 *
 * @throws ConfigurationError when a key is in the ledger with another secret or for another organization. Nothing has been written then.
 */
export async function applyConfig(
  { ledger, apiKeys }: Pick<OpenLedger, 'ledger' | 'apiKeys'>,
  { organizations = [], keys }: Applied,
  { log, nowMs, changesKeys = true }: ApplyOptions,
): Promise<void> {
  await checkIdentities(apiKeys, keys);
  await applyOrganizations(apiKeys, organizations, { log, nowMs });
  const known = await insertNewKeys(apiKeys, keys, nowMs);
  const richer = await grantCredits(ledger, organizations);
  if (!changesKeys) return;
  await updateChangedKeys(apiKeys, known, { log, nowMs });
  for (const organization of richer)
    log.info({ organization }, 'the ledger holds more credits than the configuration says; nothing is taken away');
  await warnAboutOthers(apiKeys, keys, log);
}

async function warnAboutOthers(
  apiKeys: OpenLedger['apiKeys'],
  keys: readonly ConfiguredKey[],
  log: AppliedLog,
): Promise<void> {
  const configured = new Set(keys.map(({ id }) => id));
  const { items } = await apiKeys.listKeys({ limit: KEYS_TOLD_OF });
  const others = items.filter(({ id, revokedAtMs }) => revokedAtMs === null && !configured.has(id)).length;
  if (others > 0)
    log.info({ keys: others }, 'the ledger has keys the configuration does not name; they are left alone');
}

const LIMITS = ['rateLimit', 'maxConcurrent'] as const;

/** Makes organizations known, and gives those that are known already the limits that the configuration names. */
async function applyOrganizations(
  apiKeys: ApiKeyRegistry,
  organizations: NonNullable<ServerConfig['organizations']>,
  { log, nowMs }: { readonly log: Pick<AppliedLog, 'info'>; readonly nowMs: number },
): Promise<void> {
  for (const { id, credits: _, ...wanted } of organizations) {
    const unlimited = newOrganization(id, nowMs);
    if (await apiKeys.insertOrganization({ ...unlimited, ...changedFields(LIMITS, wanted, unlimited) })) continue;
    const change = changedFields(LIMITS, wanted, (await apiKeys.findOrganization(id)) ?? unlimited);
    const fields = Object.keys(change);
    if (fields.length === 0) continue;
    await apiKeys.updateOrganization(id, change);
    log.info({ organization: id, fields }, 'the organization was changed by the configuration');
  }
}
