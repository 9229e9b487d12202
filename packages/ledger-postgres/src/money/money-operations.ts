import { randomUUID } from 'node:crypto';
import {
  type Adjustment,
  type AdmitRequest,
  type AdmitResult,
  type Applied,
  budgetIdsOf,
  type Charge,
  type Grant,
  type HoldBudget,
  type HoldEnding,
  type HoldRefused,
  type HoldRequest,
  type HoldResult,
  LedgerError,
  type Loss,
  limitWindowAt,
  MAX_BUDGETS,
  type RateLimit,
  type RatesUsed,
  type Release,
} from '@searchgate/core/ledger';

/** An operation as `apply_operations` reads it, and what its answer means. */
export interface MoneyOperation<T = unknown> {
  readonly json: Record<string, unknown>;
  /** @throws LedgerError when the answer is a refusal of the arguments. */
  readonly read: (answer: MoneyAnswer) => T;
}

/** What `apply_operations` answers: the fields that its operation has. */
export interface MoneyAnswer {
  readonly refused?: 'invalid_amount' | 'duplicate_grant' | 'duplicate_adjustment' | 'too_many_budgets';
  readonly applied?: boolean;
  readonly status?: string;
  readonly cost?: string;
  readonly first?: boolean;
  readonly by?: HoldRefused['by'] | null;
  readonly budget?: string | null;
  readonly limit?: string;
  readonly usage?: string;
  readonly held?: string;
  /** What is held, or the smallest amount asked for where nothing is. */
  readonly amount?: string;
  readonly nowMs?: number;
  readonly fitsWithoutHolds?: boolean;
  /** `null` where the request names no rate limit. */
  readonly ratesUsed?: RatesUsed | null;
}

// Each operation carries a token of its own, by which it recognizes its own work should it be sent a second time.

export function grantOperation({ grantId, organizationId, amount, note }: Grant): MoneyOperation<Applied> {
  const json = { operation: 'grant', id: grantId, organization_id: organizationId, amount: `${amount}`, note };
  return { json: { ...json, token: randomUUID() }, read: readAppliedOf(`grantId: "${grantId}"`) };
}

export function adjustOperation(adjustment: Adjustment): MoneyOperation<Applied> {
  const { adjustmentId: id, organizationId, keyId, budgets = [], amount, note } = adjustment;
  const json = { operation: 'adjust', id, organization_id: organizationId, key_id: keyId, amount: `${amount}`, note };
  const budgetIds = budgets.length === 0 ? undefined : budgets.toSorted();
  return {
    json: { ...json, budget_ids: budgetIds, token: randomUUID() },
    read: readAppliedOf(`adjustmentId: "${id}"`),
  };
}

export function holdOperation(request: HoldRequest): MoneyOperation<HoldResult> {
  const { keyLimit, acceptableAmounts = [] } = request;
  const budgetIds = budgetIdsOf(request.budgets);
  // In one literal and without nulls: what is spread into it is copied, and what is null is sent and read.
  const json = {
    operation: 'hold',
    id: request.holdId,
    organization_id: request.organizationId,
    key_id: request.keyId,
    organization_rate: rateJson(request.organizationRateLimit),
    key_rate: rateJson(request.keyRateLimit),
    key_max_concurrent: request.keyMaxConcurrent ?? undefined,
    organization_max_concurrent: request.organizationMaxConcurrent ?? undefined,
    uses_slot: request.usesSlot,
    amount: `${request.amount}`,
    acceptable_amounts: acceptableAmounts.length === 0 ? undefined : acceptableAmounts.map(String),
    key_limit: keyLimit === null ? undefined : `${keyLimit}`,
    key_limit_reset: request.keyLimitReset ?? undefined,
    operator_pays: request.operatorPays === true || undefined,
    time_ms: request.expiresAtMs,
    model: request.model,
    tag: request.tag,
    budget_ids: budgetIds,
    budget_limits: budgetIds && limitsJson(request.budgets),
    token: randomUUID(),
  };
  return { json, read: (answer) => readHold(answer, request) };
}

/** The `budget_limit`s of the schema, by the bytes of their ids. */
function limitsJson(budgets: readonly HoldBudget[] = []): readonly object[] {
  const sorted = budgets.map((budget, nth) => ({ ...budget, nth })).sort((one, other) => (one.id < other.id ? -1 : 1));
  return sorted.map(({ nth, limit, limitReset, isKept }) => ({
    nth,
    amount: limit === null ? undefined : `${limit}`,
    reset: limitReset ?? undefined,
    is_kept: isKept || limitReset === null,
  }));
}

export function admitOperation(request: AdmitRequest): MoneyOperation<AdmitResult> {
  const json = {
    operation: 'admit',
    organization_id: request.organizationId,
    key_id: request.keyId,
    organization_rate: rateJson(request.organizationRateLimit),
    key_rate: rateJson(request.keyRateLimit),
  };
  return { json, read: readAdmit };
}

/** A `rate_limit` of the schema. */
export function rateJson(limit: RateLimit | null | undefined): Record<string, number> | undefined {
  return limit == null ? undefined : { requests: limit.requests, period_ms: limit.periodMs };
}

export function settleOperation(holdId: string, charge: Charge): MoneyOperation<HoldEnding> {
  const { cost, model, provider, costSource, upstreamCost, tenantCost, losses } = charge;
  const json = {
    operation: 'settle',
    id: holdId,
    amount: `${cost}`,
    model,
    provider,
    cost_source: costSource,
    upstream_cost: upstreamCost?.toString(),
    tenant_cost: tenantCost?.toString(),
    losses: lossesJson(losses),
    token: randomUUID(),
  };
  return { json, read: readEndingOf(holdId) };
}

export function releaseOperation(holdId: string, { losses }: Release): MoneyOperation<HoldEnding> {
  const json = { operation: 'release', id: holdId, losses: lossesJson(losses), token: randomUUID() };
  return { json, read: readEndingOf(holdId) };
}

function lossesJson(losses: readonly Loss[] | undefined): unknown {
  if (!losses?.length) return undefined;
  return losses.map(({ cost, model, provider, reason }) => ({ amount: `${cost}`, model, provider, reason }));
}

function readAppliedOf(id: string): (answer: MoneyAnswer) => Applied {
  return (answer) => {
    checkNotRefused(answer, id);
    return { applied: answer.applied === true };
  };
}

function readEndingOf(holdId: string): (answer: MoneyAnswer) => HoldEnding {
  return (answer) => {
    checkNotRefused(answer);
    const { status, cost = '0', first = false } = answer;
    if (status === 'unknown') throw new LedgerError('unknown_hold', `holdId: no hold "${holdId}" is known`);
    return { status: status as HoldEnding['status'], cost: BigInt(cost), first };
  };
}

function readHold(answer: MoneyAnswer, request: HoldRequest): HoldResult {
  checkNotRefused(answer);
  const { holdId } = request;
  if (answer.status === 'duplicate') throw new LedgerError('duplicate_hold', `holdId: "${holdId}" was used before`);
  const result = readDecision(answer, request);
  return answer.ratesUsed == null ? result : { ...result, ratesUsed: answer.ratesUsed };
}

function readDecision(answer: MoneyAnswer, { keyLimitReset = null, budgets }: HoldRequest): HoldResult {
  const {
    by,
    budget,
    limit = '0',
    usage = '0',
    held = '0',
    amount = '0',
    nowMs = 0,
    fitsWithoutHolds = false,
  } = answer;
  if (by == null) return { status: 'held', amount: BigInt(amount) };
  if (by !== 'key_limit' && by !== 'budget' && by !== 'organization_credits') return { status: 'refused', by };
  const ofBudget = budgets?.find(({ id }) => id === budget)?.limitReset ?? null;
  const reset = by === 'key_limit' ? keyLimitReset : ofBudget;
  return {
    status: 'refused',
    by,
    ...(budget != null && { budget }),
    limit: BigInt(limit),
    usage: BigInt(usage),
    held: BigInt(held),
    required: BigInt(amount),
    resetsAtMs: reset === null ? null : limitWindowAt(reset, nowMs).resetsAtMs,
    fitsWithoutHolds,
  };
}

function readAdmit({ by, ratesUsed }: MoneyAnswer): AdmitResult {
  const used = ratesUsed ?? { key: null, organization: null };
  if (by !== 'key_rate' && by !== 'organization_rate') return { status: 'admitted', ratesUsed: used };
  return { status: 'refused', by, ratesUsed: used };
}

/** @param id the argument that may not be used again for something else. */
function checkNotRefused({ refused }: MoneyAnswer, id = ''): void {
  if (refused === undefined) return;
  if (refused === 'too_many_budgets')
    throw new LedgerError(refused, `budgets: an organization has at most ${MAX_BUDGETS} that are counted`);
  if (refused !== 'invalid_amount') throw new LedgerError(refused, `${id} was used before with other arguments`);
  throw new LedgerError(refused, 'amount: counting it would pass 2^63 − 1 nanodollars');
}
