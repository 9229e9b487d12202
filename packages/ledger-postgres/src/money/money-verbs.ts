import { randomUUID } from 'node:crypto';
import {
  type Adjustment,
  type Applied,
  type Charge,
  type Grant,
  type HoldEnding,
  type HoldRequest,
  type HoldResult,
  LedgerError,
  type LimitReset,
  type Loss,
  limitWindowAt,
  type Release,
} from '@searchgate/core/ledger';

/** A verb as `apply_verbs` reads it, and what its answer means. */
export interface MoneyVerb<T = unknown> {
  readonly json: Record<string, unknown>;
  /** @throws LedgerError when the answer is a refusal of the arguments. */
  readonly read: (answer: MoneyAnswer) => T;
}

/** What `apply_verbs` answers: the fields that its verb has. */
export interface MoneyAnswer {
  readonly refused?: 'invalid_amount' | 'duplicate_grant' | 'duplicate_adjustment';
  readonly applied?: boolean;
  readonly status?: string;
  readonly cost?: string;
  readonly first?: boolean;
  readonly by?: 'key_limit' | 'organization_credits';
  readonly limit?: string;
  readonly usage?: string;
  readonly held?: string;
  /** What is held, or the smallest amount asked for where nothing is. */
  readonly amount?: string;
  readonly nowMs?: number;
  readonly fitsWithoutHolds?: boolean;
}

// Each verb carries a token of its own, by which it knows its own work should it be sent a second time.

export function grantVerb({ grantId, organizationId, amount, note }: Grant): MoneyVerb<Applied> {
  const json = { verb: 'grant', id: grantId, organization_id: organizationId, amount: `${amount}`, note };
  return { json: { ...json, token: randomUUID() }, read: readAppliedOf(`grantId: "${grantId}"`) };
}

export function adjustVerb(adjustment: Adjustment): MoneyVerb<Applied> {
  const { adjustmentId, organizationId, keyId, amount, note } = adjustment;
  const json = {
    verb: 'adjust',
    id: adjustmentId,
    organization_id: organizationId,
    key_id: keyId,
    amount: `${amount}`,
  };
  return { json: { ...json, note, token: randomUUID() }, read: readAppliedOf(`adjustmentId: "${adjustmentId}"`) };
}

export function holdVerb(request: HoldRequest): MoneyVerb<HoldResult> {
  const {
    holdId,
    organizationId,
    keyId,
    keyLimit,
    keyLimitReset,
    amount,
    smallerAmounts = [],
    expiresAtMs,
    model,
  } = request;
  const json = {
    verb: 'hold',
    id: holdId,
    organization_id: organizationId,
    key_id: keyId,
    amount: `${amount}`,
    smaller_amounts: smallerAmounts.length === 0 ? undefined : smallerAmounts.map(String),
    key_limit: keyLimit === null ? null : `${keyLimit}`,
    key_limit_reset: keyLimitReset ?? null,
    time_ms: expiresAtMs,
    model,
    token: randomUUID(),
  };
  return { json, read: (answer) => readHold(answer, request) };
}

export function settleVerb(holdId: string, charge: Charge): MoneyVerb<HoldEnding> {
  const { cost, model, provider, costSource, losses } = charge;
  const json = { verb: 'settle', id: holdId, amount: `${cost}`, model, provider, cost_source: costSource };
  return { json: { ...json, losses: lossesJson(losses), token: randomUUID() }, read: readEndingOf(holdId) };
}

export function releaseVerb(holdId: string, { losses }: Release): MoneyVerb<HoldEnding> {
  const json = { verb: 'release', id: holdId, losses: lossesJson(losses), token: randomUUID() };
  return { json, read: readEndingOf(holdId) };
}

function lossesJson(losses: readonly Loss[] | undefined): unknown {
  if (losses === undefined || losses.length === 0) return undefined;
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

function readHold(answer: MoneyAnswer, { holdId, keyLimitReset }: HoldRequest): HoldResult {
  checkNotRefused(answer);
  if (answer.status === 'duplicate') throw new LedgerError('duplicate_hold', `holdId: "${holdId}" was used before`);
  const { by, limit = '0', usage = '0', held = '0', amount = '0', nowMs = 0, fitsWithoutHolds = false } = answer;
  if (by === undefined) return { status: 'held', amount: BigInt(amount) };
  const reset: LimitReset | null = by === 'key_limit' ? (keyLimitReset ?? null) : null;
  return {
    status: 'refused',
    by,
    limit: BigInt(limit),
    usage: BigInt(usage),
    held: BigInt(held),
    required: BigInt(amount),
    resetsAtMs: reset === null ? null : limitWindowAt(reset, nowMs).resetsAtMs,
    fitsWithoutHolds,
  };
}

/** @param id the argument that may not be used again for something else. */
function checkNotRefused({ refused }: MoneyAnswer, id = ''): void {
  if (refused === undefined) return;
  if (refused !== 'invalid_amount') throw new LedgerError(refused, `${id} was used before with other arguments`);
  throw new LedgerError(refused, 'amount: counting it would pass 2^63 − 1 nanodollars');
}
