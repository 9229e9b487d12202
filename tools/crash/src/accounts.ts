import { generateApiKey, type NanoUsd } from '@searchgate/core';
import type { DurableLedger, LimitReset, RateLimit } from '@searchgate/core/ledger';

/** A key of a scenario. */
export interface TestKey {
  readonly id: string;
  readonly secret: string;
  readonly organizationId: string;
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset | null;
}

/** An organization of a scenario, with its only grant. */
export interface TestOrganization {
  readonly id: string;
  readonly credits: NanoUsd;
}

export interface NewAccount {
  readonly id: string;
  readonly credits: NanoUsd;
  readonly limit?: NanoUsd;
  readonly limitReset?: LimitReset;
  readonly rateLimit?: RateLimit;
  readonly maxConcurrent?: number;
}

/** All organizations and keys of a scenario. */
export interface Accounts {
  readonly organizations: TestOrganization[];
  readonly keys: TestKey[];
}

/** Opens an organization with credits and one key. */
export async function openAccount(ledger: DurableLedger, account: NewAccount): Promise<TestKey> {
  const { id: organizationId, credits, limit = null, limitReset = null, rateLimit, maxConcurrent } = account;
  await ledger.grant({ grantId: `grant.${organizationId}`, organizationId, amount: credits, note: 'for the test' });
  const { id, secret, hash } = generateApiKey();
  await ledger.apiKeys.insertKey({
    id,
    hash,
    organizationId,
    label: organizationId,
    limit,
    limitReset,
    allowedModels: null,
    rateLimit,
    maxConcurrent,
    createdAtMs: Date.now(),
    expiresAtMs: null,
    revokedAtMs: null,
  });
  return { id, secret, organizationId, limit, limitReset };
}
