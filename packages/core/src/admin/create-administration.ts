import { z } from 'zod';
import type { ApiKeyRegistry } from '../auth/api-key-registry.js';
import type { TenantKeyVault } from '../auth/encrypted-tenant-keys.js';
import { newOrganization } from '../auth/registry-records.js';
import { createIdSource } from '../base/ids.js';
import { checkLedgerId } from '../base/options/check-argument.js';
import { clockSchema, port } from '../base/options/option-schemas.js';
import { parseOptions } from '../base/options/parse-options.js';
import { type Clock, systemClock } from '../base/time/clock.js';
import type { AuditLog } from '../ledger/audit-log.js';
import { LEDGER_CHECKS } from '../ledger/check-arguments.js';
import type { Adjustment, Grant, Ledger } from '../ledger/ledger.js';
import type { RequestLog } from '../ledger/request-log.js';
import { portsWithTimeLimits } from '../ledger/with-time-limit.js';
import { administerApiKeys, apiKeysOfHost, requireKeyOf } from './administer-api-keys.js';
import { administerBudgets, budgetsOfHost, requireBudgets } from './administer-budgets.js';
import { administerChanges, administerRequests } from './administer-logs.js';
import { administerOrganizations, organizationsOfHost, requireOrganization } from './administer-organizations.js';
import { administerTenantKeys, type KeyedProvider } from './administer-tenant-keys.js';
import type { Administration, AdministrationOf, ReplyAdministration } from './administration.js';
import { withAdministrationErrors } from './administration-error.js';
import { checkFields, checkOrder, readSignedUsd, readUsd } from './read-arguments.js';
import { recordChanges } from './record-changes.js';
import { readStatement } from './statement.js';

/** The storages that operators manage. */
export interface AdministrationOptions {
  /** The ledger of the gateways. */
  readonly ledger: Ledger;
  /**
   * The key registry of the gateways, such as `memoryApiKeys()` or the `apiKeys` of a durable ledger.
   *
   * @default none, for a host that authenticates callers itself: then keys and organizations cannot be managed, but all other operations work
   */
  readonly apiKeys?: ApiKeyRegistry | undefined;
  /**
   * The gateway of this process. Changes to a key take effect there at once. All other gateways see
   * changes within their `keyCacheMaxAgeMs` (5 s). An allow-list may only name its models.
   *
   * @default none: every gateway sees changes within that time
   */
  readonly gateway?: AdministeredGateway | undefined;
  /** Where the gateways log calls. @default calls are not shown */
  readonly requestLog?: RequestLog | undefined;
  /** Where changes are recorded before they are made, such as the `changes` of a durable ledger. @default they are not recorded */
  readonly auditLog?: AuditLog | undefined;
  /**
   * The vault of `createGateway({ byok })`, and the providers: organizations can set keys at those with `ownKeys`.
   *
   * @default vendor keys of organizations cannot be managed
   */
  readonly tenantKeys?: { readonly vault: TenantKeyVault; readonly providers: readonly KeyedProvider[] } | undefined;
  /** Who makes the changes: 1 to 256 characters. See also {@link Administration.as}. @default `host` */
  readonly actor?: string | undefined;
  /** Gives the times of keys and organizations. @default the system clock */
  readonly clock?: Clock | undefined;
}

/** The parts of a gateway that its administration uses. */
interface AdministeredGateway {
  invalidateKey(hash: string): void;
  invalidateTenantKey?(organizationId: string, providerId: string): void;
  models?(): readonly { readonly id: string }[];
  eraseReplies?(organizationId: string): Promise<number>;
}

const ACTOR = '1 to 256 characters without control characters';
const actorSchema = z.string(ACTOR).regex(/^\P{C}{1,256}$/u, ACTOR);

const schema = z.strictObject(
  {
    ledger: port<Ledger>(
      ['grant', 'adjust', 'organizationTotals', 'keyTotals', 'budgetTotals', 'usage', 'entries', 'expireHolds'],
      'a ledger',
    ),
    apiKeys: port<ApiKeyRegistry>(
      ['insertKey', 'findKey', 'updateKey', 'listKeys', 'insertOrganization', 'findOrganization', 'setBudget'],
      'a registry of keys such as memoryApiKeys(), or nothing where the host authenticates callers',
    ).optional(),
    gateway: port<AdministeredGateway>(['invalidateKey'], 'a gateway').optional(),
    requestLog: port<RequestLog>(
      ['find', 'get', 'erase'],
      'the log itself, such as ledger.requests or memoryRequestLog()',
    ).optional(),
    auditLog: port<AuditLog>(['append', 'find', 'erase'], 'a log such as memoryAuditLog()').optional(),
    tenantKeys: z
      .strictObject({
        vault: port<TenantKeyVault>(['set', 'list', 'delete', 'erase', 'reseal'], 'encryptedTenantKeys(…)'),
        providers: z.array(z.custom<KeyedProvider>(), 'the array of providers of the gateway'),
      })
      .optional(),
    actor: actorSchema.default('host'),
    clock: clockSchema.default(systemClock),
  },
  'an object such as { ledger, apiKeys }',
);

/**
 * Builds an operator's operations on organizations, credits and keys. They have no state and need no closing. An operation rejects with `LedgerError`
 * `ledger_timeout` when the storage does not answer a read within 10 s, or a write, which may still be carried out, within 30 s.
 *
 * @throws ConfigurationError naming the wrong option.
 */
export function createAdministration<Options extends AdministrationOptions>(
  options: Options,
): AdministrationOf<Options> {
  const { gateway, actor, clock, tenantKeys, ...ports } = parseOptions(schema, options, 'createAdministration');
  const { ledger, apiKeys, requestLog, auditLog } = portsWithTimeLimits(ports, clock);
  const newId = createIdSource();
  const invalidateKey = (hash: string): void => gateway?.invalidateKey(hash);

  const knownModels = () => (gateway?.models ? new Set(gateway.models().map(({ id }) => id)) : null);
  const deps = apiKeys && { ledger, apiKeys, clock, invalidateKey, knownModels, auditLog, requestLog };

  const { idempotency } = ledger;
  const keepsReplies = gateway?.eraseReplies !== undefined || idempotency?.erase !== undefined;
  // Looked up for each call: behind one object, a gateway may be replaced by another one.
  const replies: ReplyAdministration = {
    async erase(id) {
      checkLedgerId('organizationId', id);
      return (await (gateway?.eraseReplies?.(id) ?? idempotency?.erase?.(id))) ?? 0;
    },
  };
  const operations: Pick<Administration, 'grant' | 'adjust' | 'entries' | 'statement' | 'expireHolds'> = {
    async grant(fields) {
      checkFields('grant', fields, ['organizationId', 'amount', 'note', 'grantId']);
      const { organizationId, note = '', grantId = `grant_${newId(clock.now())}` } = fields;
      const grant: Grant = { grantId, organizationId, amount: readUsd('amount', fields.amount), note };
      LEDGER_CHECKS.grant(grant); // Before the organization is created.
      await apiKeys?.insertOrganization(newOrganization(organizationId, clock.now()));
      return { grantId, ...(await ledger.grant(grant)) };
    },
    async adjust(fields) {
      checkFields('adjust', fields, ['organizationId', 'keyId', 'budgets', 'amount', 'note', 'adjustmentId']);
      const { organizationId, keyId, budgets, note, adjustmentId = `adjustment_${newId(clock.now())}` } = fields;
      const amount = readSignedUsd('amount', fields.amount);
      const adjustment: Adjustment = { adjustmentId, organizationId, keyId, budgets, amount, note };
      LEDGER_CHECKS.adjust(adjustment);
      if (apiKeys !== undefined) {
        await requireOrganization(apiKeys, organizationId);
        if (keyId !== undefined) await requireKeyOf(apiKeys, organizationId, keyId);
        await requireBudgets(apiKeys, organizationId, budgets);
      }
      return { adjustmentId, ...(await ledger.adjust(adjustment)) };
    },
    async entries(query = {}) {
      checkOrder(['fromMs', query.fromMs], ['toMs', query.toMs]);
      return ledger.entries(query);
    },
    statement: async (query) => readStatement(ledger, query),
    expireHolds: async () => ledger.expireHolds(clock.now()),
  };
  const base: Administration = {
    hasKeyRegistry: deps !== undefined,
    organizations: withAdministrationErrors(deps ? administerOrganizations(deps) : organizationsOfHost(ledger)),
    apiKeys: withAdministrationErrors(deps ? administerApiKeys(deps) : apiKeysOfHost(ledger)),
    budgets: withAdministrationErrors(deps ? administerBudgets(deps) : budgetsOfHost()),
    tenantKeys: tenantKeys === undefined ? null : administerTenantKeys({ ...tenantKeys, apiKeys, clock, gateway }),
    requests: requestLog === undefined ? null : withAdministrationErrors(administerRequests(requestLog)),
    changes: auditLog === undefined ? null : withAdministrationErrors(administerChanges(auditLog)),
    replies: keepsReplies ? withAdministrationErrors(replies) : null,
    ...withAdministrationErrors(operations),
    instances: ledger.instances ?? null,
    as: (name) => inNameOf(parseOptions(actorSchema, name, 'actor')),
  };

  function inNameOf(name: string): Administration {
    return auditLog === undefined ? base : recordChanges(base, { auditLog, clock, newId, actor: name });
  }
  return inNameOf(actor) as AdministrationOf<Options>;
}
