import { checkBudgetIds, MAX_BUDGETS_OF_CALL } from '../base/budget-ids.js';
import { withStoredRule } from '../base/domain-rule.js';
import { LedgerError } from '../base/errors/ledger-error.js';
import {
  checkAmount,
  checkLedgerId,
  checkLimitReset,
  checkMaxConcurrent,
  checkRateLimit,
  checkSwitch,
  checkText,
  checkTime,
  refusal,
} from '../base/options/check-argument.js';
import type { ApiKeyChange, ApiKeyRecord, Organization, OrganizationChange } from './api-key-registry.js';
import { BUDGET_MODES, type Budget } from './budget.js';

/*
 * The argument checks of every key registry, before its engine is called: all registries refuse the same arguments with the same codes.
 * `readRegistryQuery` checks queries.
 */

const HASH = /^[0-9a-f]{64}$/;
export const MAX_ALLOWED_MODELS = 1_000;

/**
 * Of each operation of a registry. Returns the arguments for the engine where they differ from the given ones.
 *
 * @throws LedgerError `invalid_id`, `invalid_amount` or `invalid_argument`.
 */
export const REGISTRY_CHECKS = {
  findByHash: () => undefined,
  insertKey(key: ApiKeyRecord) {
    checkLedgerId('organizationId', key.organizationId);
    checkTime('createdAtMs', key.createdAtMs);
    checkHash(key.hash);
    checkText('label', key.label);
    checkApiKeyChange(key.id, key);
    checkResetHasLimit(key);
    const { budgets = [], domains = null } = key;
    return [withStoredRule({ ...key, ...ownLimits(key), budgets, domains })] as const;
  },
  findKey: (id: string) => checkLedgerId('id', id),
  updateKey(id: string, change: ApiKeyChange) {
    checkApiKeyChange(id, change);
    return [id, withStoredRule(change)] as const;
  },
  listKeys: () => undefined,
  insertOrganization(organization: Organization) {
    checkTime('createdAtMs', organization.createdAtMs);
    checkOrganizationChange(organization.id, organization);
    const { operatorPays = false, domains = null } = organization;
    return [withStoredRule({ ...organization, ...ownLimits(organization), operatorPays, domains })] as const;
  },
  findOrganization: (id: string) => checkLedgerId('id', id),
  updateOrganization(id: string, change: OrganizationChange) {
    checkOrganizationChange(id, change);
    return [id, withStoredRule(change)] as const;
  },
  listOrganizations: () => undefined,
  setBudget({ organizationId, id, limit, limitReset, mode, createdAtMs }: Budget): void {
    checkLedgerId('organizationId', organizationId);
    checkLedgerId('id', id);
    checkAmount('limit', limit);
    checkLimitReset('limitReset', limitReset);
    checkTime('createdAtMs', createdAtMs);
    if (!BUDGET_MODES.includes(mode))
      throw refusal('invalid_argument', 'mode', { found: mode, expected: BUDGET_MODES.join(' or ') });
  },
  findBudget: checkBudgetId,
  listBudgets: () => undefined,
  deleteBudget: checkBudgetId,
};

/** The limits with `null` for absent fields, because engines store every field. */
function ownLimits({ rateLimit = null, maxConcurrent = null }: Pick<Organization, 'rateLimit' | 'maxConcurrent'>) {
  return { rateLimit, maxConcurrent };
}

function checkBudgetId(organizationId: string, id: string): void {
  checkLedgerId('organizationId', organizationId);
  checkLedgerId('id', id);
}

/** Refuses a reset without a limit: a key without its intended limit could spend everything. @throws LedgerError `invalid_argument`. */
export function checkResetHasLimit({ limit, limitReset }: Pick<ApiKeyRecord, 'limit' | 'limitReset'>): void {
  if (limit !== null || limitReset === null) return;
  const expected = 'a limit that it resets, or null: where limit is null, set limitReset to null too';
  throw refusal('invalid_argument', 'limitReset', { found: limitReset, expected });
}

/** @throws LedgerError `invalid_id`, `invalid_amount` or `invalid_argument`. */
function checkApiKeyChange(id: string, change: ApiKeyChange): void {
  checkLedgerId('id', id);
  const { label, limit, limitReset, allowedModels, budgets, rateLimit, maxConcurrent, expiresAtMs, revokedAtMs } =
    change;
  if (label !== undefined) checkText('label', label);
  if (limit != null) checkAmount('limit', limit);
  checkLimitReset('limitReset', limitReset);
  if (allowedModels != null) checkAllowedModels(allowedModels);
  if (budgets !== undefined) checkBudgetIds('budgets', budgets, MAX_BUDGETS_OF_CALL);
  checkRateLimit('rateLimit', rateLimit);
  checkMaxConcurrent('maxConcurrent', maxConcurrent);
  if (expiresAtMs != null) checkTime('expiresAtMs', expiresAtMs);
  if (revokedAtMs != null) checkTime('revokedAtMs', revokedAtMs);
}

/** @throws LedgerError `invalid_id` or `invalid_argument`. */
function checkOrganizationChange(id: string, change: OrganizationChange): void {
  const { name, suspendedAtMs, rateLimit, maxConcurrent, operatorPays } = change;
  checkLedgerId('id', id);
  if (name != null) checkText('name', name);
  if (suspendedAtMs != null) checkTime('suspendedAtMs', suspendedAtMs);
  checkRateLimit('rateLimit', rateLimit);
  checkMaxConcurrent('maxConcurrent', maxConcurrent);
  checkSwitch('operatorPays', operatorPays);
}

function checkAllowedModels(slugs: readonly string[]): void {
  const found: unknown = slugs; // Narrowing `slugs` itself would turn its elements into any.
  if (!Array.isArray(found) || found.length > MAX_ALLOWED_MODELS) {
    const expected = `an array of at most ${MAX_ALLOWED_MODELS} slugs, or null`;
    throw refusal('invalid_argument', 'allowedModels', { found, expected });
  }
  for (const [index, slug] of slugs.entries()) checkText(`allowedModels[${index}]`, slug);
}

/** Does not print the found value, because it may be a secret in the wrong place. */
function checkHash(hash: string): void {
  if (typeof hash === 'string' && HASH.test(hash)) return;
  throw new LedgerError('invalid_argument', 'hash: expected the lower-case hex SHA-256 of a bearer token');
}
