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
  /** Of keys by their ids, and of budgets by {@link budgetIn}. */
  readonly accounts: Map<string, Account>;
  /** Every charge and correction of an account; the usage of any window follows from them. */
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
  readonly account: string;
  readonly amount: bigint;
  readonly atMs: number;
}

interface ModelHold extends HoldRequest {
  /** `undefined` while the hold is open. */
  ending?: HoldEnding;
}

export function createLedgerModel(now: () => number): LedgerModel {
  const accounts = { organizations: new Map(), accounts: new Map(), holds: new Map() };
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

/** The account of a budget: the same id in another organization is another budget. */
export function budgetIn(organizationId: string, id: string): string {
  return `${organizationId}/${id}`;
}

/** The account of a key or a budget, created on first use. */
export function accountOf(model: LedgerModel, id: string): Account {
  const account = model.accounts.get(id) ?? { usage: 0n, held: 0n };
  model.accounts.set(id, account);
  return account;
}

/** The usage of an account in its current window; of all time without a window. */
export function usageOf(model: LedgerModel, account: string, reset: LimitReset | null): bigint {
  const startsAtMs = reset === null ? 0 : limitWindowAt(reset, model.now()).startsAtMs;
  const present = model.uses.filter((use) => use.account === account && use.atMs >= startsAtMs);
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
  const marks = marksOf(given.budgets?.map((budget) => ({ id: budget })));
  const earlier = model.applied.get(use) as Adjustment | undefined;
  if (earlier !== undefined) {
    const isSame =
      earlier.amount === amount &&
      earlier.keyId === keyId &&
      String(earlier.budgets?.toSorted()) === String(marks.budgets);
    return isSame ? { result: { applied: false } } : { refusal: 'duplicate_adjustment' };
  }
  model.applied.set(use, given);
  useAll(model, { organizationId, keyId, ...marks }, amount);
  model.log.push([{ kind: 'adjustment', id, organizationId, keyId: keyId ?? null, amount, note, ...marks }]);
  return { result: { applied: true } };
}

/** What a hold has to fit, in the order in which a refusal names it. */
function boundsOf(model: LedgerModel, request: HoldRequest) {
  const { organizationId, keyId, keyLimit, keyLimitReset = null, budgets = [], operatorPays = false } = request;
  const limited = (account: string, limit: bigint | null, reset: LimitReset | null) => {
    const resetsAtMs = reset && limitWindowAt(reset, model.now()).resetsAtMs;
    const usage = usageOf(model, account, reset);
    return limit === null ? [] : [{ limit, usage, held: accountOf(model, account).held, resetsAtMs }];
  };
  const { credits: limit, usage, held } = organizationOf(model, organizationId);
  return [
    ...limited(keyId, keyLimit, keyLimitReset).map((bound) => ({ by: 'key_limit', ...bound })),
    ...budgets.flatMap(({ id: budget, limit: most, limitReset }) =>
      limited(budgetIn(organizationId, budget), most, limitReset).map((bound) => ({ by: 'budget', budget, ...bound })),
    ),
    ...(operatorPays ? [] : [{ by: 'organization_credits', limit, usage, held, resetsAtMs: null }]),
  ];
}

function hold(model: LedgerModel, request: HoldRequest): Outcome {
  const { holdId, organizationId, acceptableAmounts = [] } = request;
  if (model.holds.has(holdId)) return { refusal: 'duplicate_hold' };
  const taken = fullOf(model, request);
  if (taken !== undefined) return { result: { status: 'refused', by: taken } };
  const bounds = boundsOf(model, request);
  const fullFor = (amount: bigint) => bounds.find(({ limit, usage, held }) => usage + held + amount > limit);
  const amounts = [request.amount, ...acceptableAmounts];
  const amount = amounts.find((each) => fullFor(each) === undefined);
  if (amount === undefined) {
    const required = amounts.at(-1) ?? 0n;
    const fitsWithoutHolds = bounds.every(({ limit, usage }) => usage + required <= limit);
    return { result: { status: 'refused', ...fullFor(required), required, fitsWithoutHolds } };
  }
  for (const account of [organizationOf(model, organizationId), ...accountsOf(model, request)]) account.held += amount;
  model.holds.set(holdId, { ...request, amount });
  return { result: { status: 'held', amount } };
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
    const { holdId, organizationId, keyId, amount, model: slug, budgets } = expired;
    end(model, expired, { status: 'expired', cost: 0n, first: true });
    const id = `${holdId}.expired`;
    return { kind: 'expired', id, organizationId, keyId, amount, model: slug, ...marksOf(budgets) };
  });
  model.log.push(entries);
  return { result: due.length };
}

function end(model: LedgerModel, ended: ModelHold, ending: HoldEnding): HoldEnding {
  if (ended.ending === undefined)
    for (const account of [organizationOf(model, ended.organizationId), ...accountsOf(model, ended)])
      account.held -= ended.amount;
  ended.ending = ending;
  return ending;
}

function charge(model: LedgerModel, charged: ModelHold, given: Charge & { readonly late: boolean }): UntimedEntry {
  const { holdId: id, organizationId, keyId, tag, budgets } = charged;
  const { cost: amount, losses: _, upstreamCost, tenantCost, ...served } = given;
  const marks = marksOf(budgets, tag);
  useAll(model, { organizationId, keyId, ...marks }, amount);
  const entry = { kind: 'charge', id, organizationId, keyId, amount, ...served, ...marks } as const;
  return {
    ...entry,
    ...(upstreamCost !== undefined && { upstreamCost }),
    ...(tenantCost !== undefined && { tenantCost }),
  };
}

type Used = Pick<Adjustment, 'organizationId' | 'keyId' | 'budgets'>;

function useAll(model: LedgerModel, { organizationId, keyId, budgets = [] }: Used, amount: bigint): void {
  organizationOf(model, organizationId).usage += amount;
  const ofBudgets = budgets.map((id) => budgetIn(organizationId, id));
  for (const account of keyId === undefined ? ofBudgets : [keyId, ...ofBudgets]) {
    accountOf(model, account).usage += amount;
    model.uses.push({ account, amount, atMs: model.now() });
  }
}

/** Those of the key and the budgets of a hold. */
function accountsOf(model: LedgerModel, { organizationId, keyId, budgets = [] }: HoldRequest): Account[] {
  const ids = [keyId, ...budgets.map(({ id }) => budgetIn(organizationId, id))];
  return ids.map((id) => accountOf(model, id));
}

function lossesOf(lost: HoldRequest, losses: readonly Loss[] = []): UntimedEntry[] {
  const { holdId, organizationId, keyId, tag, budgets } = lost;
  return losses.map(({ cost: amount, ...attempt }, index) => {
    const id = `${holdId}.loss.${index + 1}`;
    return { kind: 'loss', id, organizationId, keyId, amount, ...attempt, ...marksOf(budgets, tag) };
  });
}

/** The tag, and the ids of the budgets in the order of their bytes. */
function marksOf(
  budgets: HoldRequest['budgets'] | readonly { readonly id: string }[],
  tag?: string,
): { readonly tag?: string; readonly budgets?: readonly string[] } {
  const ids = (budgets ?? []).map(({ id }) => id).sort();
  return { ...(tag !== undefined && { tag }), ...(ids.length > 0 && { budgets: ids }) };
}
