import { generateApiKey, type NanoUsd } from '@searchgate/core';
import type { DurableLedger, LimitReset, RateLimit } from '@searchgate/core/ledger';

/** An enforcing budget of a scenario. Keys of one organization that name the same id share it. */
export interface TestBudget {
  readonly id: string;
  readonly limit: NanoUsd;
  readonly limitReset: LimitReset | null;
}

/** A key of a scenario. */
export interface TestKey {
  readonly id: string;
  readonly secret: string;
  readonly organizationId: string;
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset | null;
  /** Its budgets, and those after each change: a call soon after a change may count in those before. */
  readonly budgets: (readonly TestBudget[])[];
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
  /** Set in the registry, at most four. */
  readonly budgets?: readonly TestBudget[];
}

/** All organizations and keys of a scenario. */
export interface Accounts {
  readonly organizations: TestOrganization[];
  readonly keys: TestKey[];
}

/** Opens an organization with credits and one key. */
export async function openAccount(ledger: DurableLedger, account: NewAccount): Promise<TestKey> {
  const {
    id: organizationId,
    credits,
    limit = null,
    limitReset = null,
    rateLimit,
    maxConcurrent,
    budgets = [],
  } = account;
  await ledger.grant({ grantId: `grant.${organizationId}`, organizationId, amount: credits, note: 'for the test' });
  const { id, secret, hash } = generateApiKey();
  await setBudgets(ledger, organizationId, budgets);
  await ledger.apiKeys.insertKey({
    id,
    hash,
    organizationId,
    label: organizationId,
    limit,
    limitReset,
    allowedModels: null,
    budgets: budgets.map((budget) => budget.id),
    rateLimit,
    maxConcurrent,
    createdAtMs: Date.now(),
    expiresAtMs: null,
    revokedAtMs: null,
  });
  return { id, secret, organizationId, limit, limitReset, budgets: [budgets] };
}

/** Moves a key to other budgets. Gateways may cache the key for 5 s. */
export async function moveKey(ledger: DurableLedger, key: TestKey, budgets: readonly TestBudget[]): Promise<void> {
  await setBudgets(ledger, key.organizationId, budgets);
  key.budgets.push(budgets);
  await ledger.apiKeys.updateKey(key.id, { budgets: budgets.map(({ id }) => id) });
}

async function setBudgets(
  ledger: DurableLedger,
  organizationId: string,
  budgets: readonly TestBudget[],
): Promise<void> {
  for (const budget of budgets)
    await ledger.apiKeys.setBudget({ ...budget, organizationId, mode: 'enforce', createdAtMs: Date.now() });
}

/** All budgets that keys have named, by organization and id. */
export function budgetsOf(keys: readonly TestKey[]): ReadonlyMap<string, TestBudget & { organizationId: string }> {
  const named = keys.flatMap(({ organizationId, budgets }) =>
    budgets.flat().map((budget) => [`${organizationId} ${budget.id}`, { ...budget, organizationId }] as const),
  );
  return new Map(named);
}
