import { type ApiKeyRegistry, newOrganization } from '@searchgate/core/ledger';
import { applyBudgets } from './apply-budgets.js';
import { type AppliedLog, checkKeys, insertNewKeys, updateChangedKeys } from './apply-keys.js';
import { changedFields } from './changed-fields.js';
import type { ServerConfig } from './config-file.js';
import type { ConfiguredKey } from './configured-keys.js';
import { grantCredits } from './grant-credits.js';
import type { OpenLedger } from './ledger/open-ledger.js';

/** The configured content of the ledger. */
export interface Applied {
  readonly organizations: ServerConfig['organizations'];
  readonly budgets?: ServerConfig['budgets'];
  readonly keys: readonly ConfiguredKey[];
}

export interface ApplyOptions {
  readonly log: AppliedLog;
  readonly nowMs: number;
  /**
   * `false` for the demo without a configuration: keys and credits stay as an administrator has left them, without a warning.
   *
   * @default `true`: keys are changed to match the configuration, and keys that it does not name are reported
   */
  readonly changesKeys?: boolean;
  /** Whether a key that is new to the ledger must not have expired. @default `false`, as for a ledger in memory, where every key is new at every start */
  readonly refusesExpired?: boolean;
}

/** How many keys of the ledger are searched for keys that the configuration does not name. */
const KEYS_TOLD_OF = 1_000;

/**
 * Brings organizations, credits, budgets and keys of a ledger up to a configuration. Runs at every start, in any number of processes at once: no grant or key is
 * written twice. All other content of the ledger stays unchanged.
 *
 * @throws ConfigurationError if the ledger has a key with another secret or organization, or a new key has expired. Nothing is written then.
 */
export async function applyConfig(
  { ledger, apiKeys }: Pick<OpenLedger, 'ledger' | 'apiKeys'>,
  { organizations = [], budgets = [], keys }: Applied,
  { log, nowMs, changesKeys = true, refusesExpired = false }: ApplyOptions,
): Promise<void> {
  await checkKeys(apiKeys, keys, refusesExpired ? nowMs : null);
  await applyOrganizations(apiKeys, organizations, { log, nowMs });
  await applyBudgets(apiKeys, budgets, { log, nowMs });
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
    log.info({ keys: others }, 'the ledger has keys that the configuration does not name; they are unchanged');
}

const SETTINGS = ['rateLimit', 'maxConcurrent', 'operatorPays', 'domains'] as const;

/** Creates missing organizations, and updates the configured settings of existing organizations. */
async function applyOrganizations(
  apiKeys: ApiKeyRegistry,
  organizations: NonNullable<ServerConfig['organizations']>,
  { log, nowMs }: { readonly log: Pick<AppliedLog, 'info'>; readonly nowMs: number },
): Promise<void> {
  for (const { id, credits, ...limits } of organizations) {
    const wanted = { ...limits, operatorPays: credits === null };
    const unlimited = newOrganization(id, nowMs);
    if (await apiKeys.insertOrganization({ ...unlimited, ...changedFields(SETTINGS, wanted, unlimited) })) continue;
    const change = changedFields(SETTINGS, wanted, (await apiKeys.findOrganization(id)) ?? unlimited);
    const fields = Object.keys(change);
    if (fields.length === 0) continue;
    await apiKeys.updateOrganization(id, change);
    log.info({ organization: id, fields }, 'the organization was changed by the configuration');
  }
}
