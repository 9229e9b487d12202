import {
  type Adjustment,
  type Charge,
  type Grant,
  type HoldEnding,
  type HoldRequest,
  type LimitReset,
  type Loss,
  limitWindowAt,
} from '@searchgate/core/ledger';
import type { UntimedEntry } from './observe.js';
import type { Outcome, Step } from './steps.js';

/**
 * The contract in its simplest form: no efficiency, no concurrency, no checks of arguments. After the same sequence of steps, a ledger must
 * answer exactly like {@link expectedOf} on this model.
 */
export interface LedgerModel {
  readonly organizations: Map<string, Account & { credits: bigint }>;
  readonly keys: Map<string, Account>;
  /** Every charge and correction of a key; the usage of any window follows from them. */
  readonly uses: Use[];
  /** The ledger's clock. */
  readonly now: () => number;
  readonly holds: Map<string, ModelHold>;
  /** Grants and adjustments by kind, organization and id. */
  readonly applied: Map<string, Grant | Adjustment>;
  /** The log, grouped by step: the order within a step is up to the ledger. */
  readonly log: UntimedEntry[][];
}

interface Account {
  usage: bigint;
  held: bigint;
}

interface Use {
  readonly keyId: string;
  readonly amount: bigint;
  readonly atMs: number;
}

interface ModelHold extends HoldRequest {
  /** `undefined` while the hold is open. */
  ending?: HoldEnding;
}

export function createLedgerModel(now: () => number): LedgerModel {
  const accounts = { organizations: new Map(), keys: new Map(), holds: new Map() };
  return { ...accounts, uses: [], now, applied: new Map(), log: [] };
}

/** Applies a step to the model. @returns the expected answer of a ledger. */
export function expectedOf(model: LedgerModel, step: Step): Outcome {
  switch (step.operation) {
    case 'grant':
      return grant(model, step.grant);
    case 'adjust':
      return adjust(model, step.adjustment);
    case 'hold':
      return hold(model, step.request);
    case 'settle':
      return settle(model, step.holdId, step.charge);
    case 'release':
      return release(model, step.holdId, step.release.losses);
    case 'expire':
      return expire(model, step.nowMs);
  }
}

/** The account of an organization, created on first use. */
export function organizationOf(model: LedgerModel, organizationId: string): Account & { credits: bigint } {
  const account = model.organizations.get(organizationId) ?? { credits: 0n, usage: 0n, held: 0n };
  model.organizations.set(organizationId, account);
  return account;
}

/** The account of a key, created on first use. */
export function keyOf(model: LedgerModel, keyId: string): Account {
  const account = model.keys.get(keyId) ?? { usage: 0n, held: 0n };
  model.keys.set(keyId, account);
  return account;
}

/** The usage of a key in its current window; of all time without a window. */
export function usageOf(model: LedgerModel, keyId: string, reset: LimitReset | null): bigint {
  const startsAtMs = reset === null ? 0 : limitWindowAt(reset, model.now()).startsAtMs;
  const present = model.uses.filter((use) => use.keyId === keyId && use.atMs >= startsAtMs);
  return present.reduce((sum, { amount }) => sum + amount, 0n);
}

function grant(model: LedgerModel, given: Grant): Outcome {
  const { grantId: id, organizationId, amount, note } = given;
  const use = `grant ${organizationId} ${id}`;
  const earlier = model.applied.get(use);
  if (earlier !== undefined) {
    return earlier.amount === amount ? { result: { applied: false } } : { refusal: 'duplicate_grant' };
  }
  model.applied.set(use, given);
  organizationOf(model, organizationId).credits += amount;
  model.log.push([{ kind: 'grant', id, organizationId, keyId: null, amount, note }]);
  return { result: { applied: true } };
}

function adjust(model: LedgerModel, given: Adjustment): Outcome {
  const { adjustmentId: id, organizationId, keyId, amount, note } = given;
  const use = `adjustment ${organizationId} ${id}`;
  const earlier = model.applied.get(use);
  if (earlier !== undefined) {
    const isSame = earlier.amount === amount && (earlier as Adjustment).keyId === keyId;
    return isSame ? { result: { applied: false } } : { refusal: 'duplicate_adjustment' };
  }
  model.applied.set(use, given);
  organizationOf(model, organizationId).usage += amount;
  if (keyId !== undefined) useKey(model, keyId, amount);
  model.log.push([{ kind: 'adjustment', id, organizationId, keyId: keyId ?? null, amount, note }]);
  return { result: { applied: true } };
}

function hold(model: LedgerModel, request: HoldRequest): Outcome {
  const { holdId, keyId, keyLimit, keyLimitReset = null, acceptableAmounts = [], operatorPays = false } = request;
  if (model.holds.has(holdId)) return { refusal: 'duplicate_hold' };
  const full = fullOf(model, request);
  if (full !== undefined) return { result: { status: 'refused', by: full } };
  const organization = organizationOf(model, request.organizationId);
  const key = keyOf(model, keyId);
  const keyUsage = usageOf(model, keyId, keyLimitReset);
  const fitsKey = (amount: bigint, held = key.held) => keyLimit === null || keyUsage + held + amount <= keyLimit;
  const fitsBalance = (amount: bigint, held = organization.held) =>
    operatorPays || organization.usage + held + amount <= organization.credits;
  const amounts = [request.amount, ...acceptableAmounts];
  const fitting = amounts.find((amount) => fitsKey(amount) && fitsBalance(amount));
  const required = amounts.at(-1) ?? 0n;
  const fitsWithoutHolds = fitsKey(required, 0n) && fitsBalance(required, 0n);
  if (!fitsKey(required)) {
    const resetsAtMs = keyLimitReset && limitWindowAt(keyLimitReset, model.now()).resetsAtMs;
    const ofKey = { limit: keyLimit, usage: keyUsage, held: key.held, required, resetsAtMs, fitsWithoutHolds };
    return { result: { status: 'refused', by: 'key_limit', ...ofKey } };
  }
  if (fitting === undefined) {
    const { credits: limit, usage, held } = organization;
    const by = 'organization_credits';
    return { result: { status: 'refused', by, limit, usage, held, required, resetsAtMs: null, fitsWithoutHolds } };
  }
  organization.held += fitting;
  key.held += fitting;
  model.holds.set(holdId, { ...request, amount: fitting });
  return { result: { status: 'held', amount: fitting } };
}

/** The owner without free slots, if the hold needs a slot. */
function fullOf(model: LedgerModel, request: HoldRequest): 'key_concurrency' | 'organization_concurrency' | undefined {
  const { keyMaxConcurrent, organizationMaxConcurrent, usesSlot = true } = request;
  if (!usesSlot) return undefined;
  const open = [...model.holds.values()].filter(
    ({ ending, usesSlot: takes }) => ending === undefined && takes !== false,
  );
  const ofKey = open.filter(({ keyId }) => keyId === request.keyId).length;
  const ofOrganization = open.filter(({ organizationId }) => organizationId === request.organizationId).length;
  if (keyMaxConcurrent != null && ofKey >= keyMaxConcurrent) return 'key_concurrency';
  if (organizationMaxConcurrent != null && ofOrganization >= organizationMaxConcurrent)
    return 'organization_concurrency';
  return undefined;
}

function settle(model: LedgerModel, holdId: string, given: Charge): Outcome {
  const settled = model.holds.get(holdId);
  if (settled === undefined) return { refusal: 'unknown_hold' };
  const late = hasExpired(settled);
  if (settled.ending !== undefined && !late) return { result: { ...settled.ending, first: false } };
  const result = end(model, settled, { status: 'settled', cost: given.cost, first: true });
  model.log.push([charge(model, settled, { ...given, late }), ...lossesOf(settled, given.losses)]);
  return { result };
}

function release(model: LedgerModel, holdId: string, losses: readonly Loss[] | undefined): Outcome {
  const released = model.holds.get(holdId);
  if (released === undefined) return { refusal: 'unknown_hold' };
  if (released.ending !== undefined && !hasExpired(released)) return { result: { ...released.ending, first: false } };
  const result = end(model, released, { status: 'released', cost: 0n, first: true });
  model.log.push(lossesOf(released, losses));
  return { result };
}

/** An expired hold may still be settled or released. */
function hasExpired({ ending }: ModelHold): boolean {
  return ending?.status === 'expired';
}

function expire(model: LedgerModel, nowMs: number): Outcome {
  const due = [...model.holds.values()].filter(({ ending, expiresAtMs }) => !ending && expiresAtMs <= nowMs);
  const entries = due.map((expired): UntimedEntry => {
    const { holdId, organizationId, keyId, amount, model: slug } = expired;
    end(model, expired, { status: 'expired', cost: 0n, first: true });
    return { kind: 'expired', id: `${holdId}.expired`, organizationId, keyId, amount, model: slug };
  });
  model.log.push(entries);
  return { result: due.length };
}

function end(model: LedgerModel, ended: ModelHold, ending: HoldEnding): HoldEnding {
  if (ended.ending === undefined) {
    organizationOf(model, ended.organizationId).held -= ended.amount;
    keyOf(model, ended.keyId).held -= ended.amount;
  }
  ended.ending = ending;
  return ending;
}

function charge(model: LedgerModel, charged: ModelHold, given: Charge & { readonly late: boolean }): UntimedEntry {
  const { holdId: id, organizationId, keyId, tag } = charged;
  const { cost: amount, losses: _, upstreamCost, ...served } = given;
  organizationOf(model, organizationId).usage += amount;
  useKey(model, keyId, amount);
  const entry = { kind: 'charge', id, organizationId, keyId, amount, ...served, ...tagged(tag) } as const;
  return upstreamCost === undefined ? entry : { ...entry, upstreamCost };
}

function useKey(model: LedgerModel, keyId: string, amount: bigint): void {
  keyOf(model, keyId).usage += amount;
  model.uses.push({ keyId, amount, atMs: model.now() });
}

function lossesOf({ holdId, organizationId, keyId, tag }: HoldRequest, losses: readonly Loss[] = []): UntimedEntry[] {
  return losses.map(({ cost: amount, ...attempt }, index) => {
    const id = `${holdId}.loss.${index + 1}`;
    return { kind: 'loss', id, organizationId, keyId, amount, ...attempt, ...tagged(tag) };
  });
}

function tagged(tag: string | undefined): { readonly tag?: string } {
  return tag === undefined ? {} : { tag };
}
