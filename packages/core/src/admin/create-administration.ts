import { z } from 'zod';
import type { ApiKeyRegistry } from '../auth/api-key-registry.js';
import { newOrganization } from '../auth/new-organization.js';
import { createIdSource } from '../base/ids.js';
import { port } from '../base/options/option-schemas.js';
import { parseOptions } from '../base/options/parse-options.js';
import { type Clock, systemClock } from '../base/time/clock.js';
import { checkAdjustment, checkGrant } from '../ledger/check-arguments.js';
import type { Adjustment, Grant, Ledger } from '../ledger/ledger.js';
import { administerApiKeys, requireKeyOf } from './administer-api-keys.js';
import { administerOrganizations, requireOrganization } from './administer-organizations.js';
import type { Administration } from './administration.js';
import { checkFields, checkOrder, readSignedUsd, readUsd } from './read-arguments.js';
import { readStatement } from './statement.js';

export interface AdministrationOptions {
  /** Where money is counted: the ledger of the gateways. */
  readonly ledger: Ledger;
  /** Where keys are kept, such as `memoryApiKeys()` or the `apiKeys` of a durable ledger: that of the gateways. */
  readonly apiKeys: ApiKeyRegistry;
  /**
   * The gateway of this process, in which every change to a key then takes effect at once. Gateways of other processes, and of this one
   * where it is absent, see it within their `keyCacheMaxAgeMs` (5 s).
   */
  readonly gateway?: { invalidateKey(hash: string): void } | undefined;
  /** Stamps keys and organizations. Default the machine's own. */
  readonly clock?: Clock | undefined;
}

const schema = z.strictObject(
  {
    ledger: port<Ledger>(
      ['grant', 'adjust', 'organizationTotals', 'keyTotals', 'usage', 'entries', 'expireHolds'],
      'a ledger',
    ),
    apiKeys: port<ApiKeyRegistry>(
      ['insertKey', 'findKey', 'updateKey', 'listKeys', 'insertOrganization', 'findOrganization'],
      'a registry of keys such as memoryApiKeys()',
    ),
    gateway: port<{ invalidateKey(hash: string): void }>(['invalidateKey'], 'a gateway').optional(),
    clock: port<Clock>(['now'], 'a clock').default(systemClock),
  },
  'an object of options',
);

/**
 * Builds what an operator administers a gateway's organizations, credits and keys with. It keeps nothing itself and needs no closing.
 *
 * @throws ConfigurationError naming the option that is wrong.
 */
export function createAdministration(options: AdministrationOptions): Administration {
  const { ledger, apiKeys, gateway, clock } = parseOptions(schema, options, 'createAdministration');
  const newId = createIdSource();
  const invalidateKey = (hash: string): void => gateway?.invalidateKey(hash);

  return {
    organizations: administerOrganizations({ ledger, apiKeys, clock, invalidateKey }),
    apiKeys: administerApiKeys({ ledger, apiKeys, clock, invalidateKey }),
    async grant(fields) {
      checkFields('grant', fields, ['organizationId', 'amount', 'note', 'grantId']);
      const { organizationId, note = '', grantId = `grant_${newId(clock.now())}` } = fields;
      const grant: Grant = { grantId, organizationId, amount: readUsd('amount', fields.amount), note };
      checkGrant(grant); // Before the organization is made known.
      await apiKeys.insertOrganization(newOrganization(organizationId, clock.now()));
      return { grantId, ...(await ledger.grant(grant)) };
    },
    async adjust(fields) {
      checkFields('adjust', fields, ['organizationId', 'keyId', 'amount', 'note', 'adjustmentId']);
      const { organizationId, keyId, note, adjustmentId = `adjustment_${newId(clock.now())}` } = fields;
      const amount = readSignedUsd('amount', fields.amount);
      const owner = { organizationId, ...(keyId !== undefined && { keyId }) };
      const adjustment: Adjustment = { adjustmentId, ...owner, amount, note };
      checkAdjustment(adjustment);
      await requireOrganization(apiKeys, organizationId);
      if (keyId !== undefined) await requireKeyOf(apiKeys, organizationId, keyId);
      return { adjustmentId, ...(await ledger.adjust(adjustment)) };
    },
    async entries(query = {}) {
      checkOrder(['fromMs', query.fromMs], ['toMs', query.toMs]);
      return ledger.entries(query);
    },
    statement: async (query) => readStatement(ledger, query),
    expireHolds: async () => ledger.expireHolds(clock.now()),
  };
}
