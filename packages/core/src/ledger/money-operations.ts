import { LedgerError } from '../base/errors/ledger-error.js';
import { magnitude, type NanoUsd } from '../base/money.js';
import { checkTotal } from '../base/options/check-argument.js';
import type { LimitReset } from '../base/time/limit-window.js';
import { countRates, decideAdmission, decideHold, ratesOf, type SpentBudget } from './decide-hold.js';
import { MAX_BUDGETS } from './hold-budget.js';
import type {
  Adjustment,
  Applied,
  Charge,
  Grant,
  HoldEnding,
  HoldRequest,
  HoldResult,
  KeyTotals,
  Loss,
  OrganizationTotals,
  Release,
} from './ledger.js';
import type { LedgerEntry } from './ledger-entry.js';
import {
  type AppliedEntry,
  type BudgetCounters,
  type EndedHold,
  type HoldCounters,
  type KeyCounters,
  type LedgerState,
  NO_BUDGET_COUNTERS,
  type StoredHold,
} from './ledger-state.js';
import {
  addUsage,
  type LimitWindows,
  presentWindow,
  projectedUsage,
  usageInWindow,
  type WindowedUsage,
} from './window-usage.js';

/*
 * The money operations of a ledger, for every synchronous engine. The engine provides the state: see LedgerState.
 */

const RELEASED = Object.freeze({ status: 'released', cost: 0n });
const EXPIRED = Object.freeze({ status: 'expired', cost: 0n });

/** @throws LedgerError `duplicate_grant`, or `invalid_amount` if the credits would overflow. */
export function applyGrant(state: LedgerState, { grantId: id, organizationId, amount, note }: Grant): Applied {
  const entry = { kind: 'grant', id, organizationId, keyId: null, amount, atMs: state.now(), note } as const;
  if (wasApplied(state, entry)) return { applied: false };
  checkTotal('amount', state.readOrganization(organizationId).credits + amount);
  state.organization(organizationId).credits += amount;
  state.append(entry);
  return { applied: true };
}

/** @throws LedgerError `duplicate_adjustment`, `too_many_budgets`, or `invalid_amount` if a counter would overflow. */
export function applyAdjustment(state: LedgerState, adjustment: Adjustment): Applied {
  const { adjustmentId: id, organizationId, keyId = null, amount, note } = adjustment;
  const atMs = state.now();
  const budgets = adjustment.budgets?.length ? adjustment.budgets.toSorted() : undefined;
  const of = { organizationId, keyId, ...(budgets && { budgets }) };
  const entry = { kind: 'adjustment', id, ...of, amount, atMs, note } as const;
  if (wasApplied(state, entry)) return { applied: false };
  const windows = state.windows(atMs);
  const read = readBudgets(state, organizationId, budgets);
  checkTotal('amount', state.readOrganization(organizationId).usage + amount);
  if (keyId !== null) checkTotal('amount', projectedUsage(state.readKey(keyId), amount, windows));
  if (read !== undefined) checkBudgetCount(state, organizationId, read);
  for (const counters of read ?? []) checkTotal('amount', projectedUsage(counters, amount, windows));
  state.organization(organizationId).usage += amount;
  if (keyId !== null) addUsage(state.key(keyId), amount, windows);
  for (const budget of budgets ?? []) addUsage(state.budget(organizationId, budget), amount, windows);
  state.append(entry);
  return { applied: true };
}

/**
 * Holds the largest requested amount that fits all budgets, or refuses with the reason. Slots and rates are checked first.
 *
 * @throws LedgerError `duplicate_hold`, `too_many_budgets`, or `invalid_amount` if a counter would overflow.
 */
export function placeHold(state: LedgerState, request: HoldRequest): HoldResult {
  const { holdId, organizationId, keyId } = request;
  const counters = { organization: state.readOrganization(organizationId), key: state.readKey(keyId) };
  const { organization, key } = counters;
  const rates = ratesOf(state, request);
  const slots = { key: key.inFlight, organization: organization.inFlight };
  const budgets = readBudgets(
    state,
    organizationId,
    request.budgets?.map(({ id }) => id),
  );
  const spent = {
    organization,
    key: spentIn(state, key, request.keyLimit === null ? null : (request.keyLimitReset ?? null)),
    budgets: budgets?.map((each, index) => spentIn(state, each, request.budgets?.[index]?.limitReset ?? null)),
  };
  const result = decideAdmission(request, rates, slots) ?? decideHold(request, spent);
  if (result.status === 'refused') {
    const wasUsed = state.findOpenHold(holdId) !== undefined || state.findEndedHold(holdId) !== undefined;
    if (wasUsed) throw duplicateHold(holdId);
    return rates === undefined ? result : { ...result, ratesUsed: countRates(state, request, { rates, requests: 0 }) };
  }
  const { amount } = result;
  checkTotal('amount', organization.held + amount);
  checkTotal('amount', key.held + amount);
  if (budgets !== undefined) {
    checkBudgetCount(state, organizationId, budgets);
    for (const { held } of budgets) checkTotal('amount', held + amount);
  }
  const hold = state.addHold(request, amount, counters);
  if (hold === undefined) throw duplicateHold(holdId);
  if (request.budgets !== undefined)
    for (const { id, limitReset, isKept } of request.budgets)
      state.budget(organizationId, id).isKept ||= isKept || limitReset === null;
  addHeld(state.countersOf(hold), hold, 1);
  return rates === undefined ? result : { ...result, ratesUsed: countRates(state, request, { rates, requests: 1 }) };
}

/** @throws LedgerError `unknown_hold`, or `invalid_amount` if a counter would overflow. */
export function settleHold<H extends StoredHold>(state: LedgerState<H>, holdId: string, charge: Charge): HoldEnding {
  const open = state.findOpenHold(holdId);
  if (open !== undefined) return settle(state, open, { charge, late: false });
  const ended = endedHold(state, holdId);
  return ended.status === 'expired' ? settle(state, ended.hold, { charge, late: true }) : repeated(ended);
}

/** @throws LedgerError `unknown_hold`. */
export function releaseHold<H extends StoredHold>(state: LedgerState<H>, holdId: string, given: Release): HoldEnding {
  const open = state.findOpenHold(holdId);
  if (open !== undefined) {
    addHeld(state.countersOf(open), open, -1);
    return endReleased(state, open, given);
  }
  const ended = endedHold(state, holdId);
  return ended.status === 'expired' ? endReleased(state, ended.hold, given) : repeated(ended);
}

function endReleased<H extends StoredHold>(state: LedgerState<H>, hold: H, { losses }: Release): HoldEnding {
  state.endHold(hold, RELEASED);
  if (losses !== undefined) appendLosses(state, hold, { losses, atMs: state.now() });
  return { ...RELEASED, first: true };
}

/** Ends an open hold that is due. */
export function expireHold<H extends StoredHold>(state: LedgerState<H>, hold: H): void {
  const { id, organizationId, keyId, amount, model, budgetIds: budgets } = hold;
  addHeld(state.countersOf(hold), hold, -1);
  state.endHold(hold, EXPIRED);
  const of = { organizationId, keyId, ...(budgets && { budgets }) };
  state.append({ kind: 'expired', id: `${id}.expired`, ...of, amount, atMs: state.now(), model }, hold);
}

export function totalsOfOrganization(state: LedgerState, id: string): OrganizationTotals {
  const { credits, usage, held } = state.readOrganization(id);
  return { credits, usage, held };
}

export function totalsOfKey(state: LedgerState, keyId: string, limitReset: LimitReset | null): KeyTotals {
  return totalsOf(state, state.readKey(keyId), limitReset);
}

export function totalsOfBudgets(
  state: LedgerState,
  organizationId: string,
  budgets: readonly { readonly id: string; readonly limitReset: LimitReset | null }[],
): KeyTotals[] {
  return budgets.map(({ id, limitReset }) => totalsOf(state, state.readBudget(organizationId, id), limitReset));
}

function totalsOf(
  state: LedgerState,
  counters: Readonly<WindowedUsage & { held: NanoUsd }>,
  limitReset: LimitReset | null,
): KeyTotals {
  const { usage, held } = counters;
  if (limitReset === null) return { usage, held, windowUsage: usage, resetsAtMs: null };
  const windows = state.windows(state.now());
  const { resetsAtMs } = presentWindow(counters, limitReset, windows);
  return { usage, held, windowUsage: usageInWindow(counters, limitReset, windows), resetsAtMs };
}

function readBudgets(state: LedgerState, organizationId: string, ids: readonly string[] | undefined) {
  return ids === undefined || ids.length === 0 ? undefined : ids.map((id) => state.readBudget(organizationId, id));
}

/** @throws LedgerError `too_many_budgets` if the organization would have more than {@link MAX_BUDGETS}. */
function checkBudgetCount(state: LedgerState, organizationId: string, read: readonly Readonly<BudgetCounters>[]): void {
  const unknown = read.filter((counters) => counters === NO_BUDGET_COUNTERS).length;
  if (unknown > 0 && state.countBudgets(organizationId) + unknown > MAX_BUDGETS)
    throw new LedgerError('too_many_budgets', `an organization can have ${MAX_BUDGETS} budgets`);
}

/** What is used and held of a limit: in the present window, if the limit resets. */
function spentIn(
  state: LedgerState,
  counters: Readonly<KeyCounters | BudgetCounters>,
  limitReset: LimitReset | null,
): SpentBudget {
  const { usage, held } = counters;
  if (limitReset === null) return { usage, held, resetsAtMs: null };
  const { windowUsage, resetsAtMs } = totalsOf(state, counters, limitReset);
  return { usage: windowUsage, held, resetsAtMs };
}

type ChargeEntry = Extract<LedgerEntry, { kind: 'charge' }>;

interface Settlement {
  readonly charge: Charge;
  readonly late: boolean;
}

// Every answered call runs this function. The entry is written out, because spreading the charge would cost more than the rest of the function.
function settle<H extends StoredHold>(state: LedgerState<H>, hold: H, { charge, late }: Settlement): HoldEnding {
  const { id, organizationId, keyId, tag, budgetIds } = hold;
  const { cost: amount, model, provider, costSource, upstreamCost, tenantCost, losses } = charge;
  const atMs = state.now();
  const windows = state.windows(atMs);
  const counters = state.countersOf(hold);
  checkTotal('cost', projectedTotal(counters, amount, windows));
  if (!late) addHeld(counters, hold, -1);
  state.endHold(hold, { status: 'settled', cost: amount }, charge);
  if (losses !== undefined) appendLosses(state, hold, { losses, atMs });
  counters.organization.usage += amount;
  addUsage(counters.key, amount, windows);
  if (counters.budgets !== undefined) for (const each of counters.budgets) addUsage(each, amount, windows);
  const entry: { -readonly [Field in keyof ChargeEntry]: ChargeEntry[Field] } = {
    kind: 'charge',
    id,
    organizationId,
    keyId,
    amount,
    atMs,
    model,
    provider,
    costSource,
    late,
  };
  if (upstreamCost !== undefined) entry.upstreamCost = upstreamCost;
  if (tenantCost !== undefined) entry.tenantCost = tenantCost;
  if (tag !== undefined) entry.tag = tag;
  if (budgetIds !== undefined) entry.budgets = budgetIds;
  state.append(entry, hold);
  return { status: 'settled', cost: amount, first: true };
}

/** @param times 1 for a new hold, -1 for one that ends. */
function addHeld({ organization, key, budgets }: HoldCounters, { amount, usesSlot }: StoredHold, times: 1 | -1): void {
  const held = times === 1 ? amount : -amount;
  organization.held += held;
  key.held += held;
  if (budgets !== undefined) for (const each of budgets) each.held += held;
  if (!usesSlot) return;
  organization.inFlight += times;
  key.inFlight += times;
}

/** The total farthest from zero among the totals that a charge changes. */
function projectedTotal({ organization, key, budgets }: HoldCounters, cost: NanoUsd, windows: LimitWindows): NanoUsd {
  let farthest = organization.usage + cost;
  for (const counters of budgets === undefined ? [key] : [key, ...budgets]) {
    const projected = projectedUsage(counters, cost, windows);
    if (magnitude(projected) > magnitude(farthest)) farthest = projected;
  }
  return farthest;
}

function appendLosses<H extends StoredHold>(
  state: LedgerState<H>,
  hold: H,
  { losses, atMs }: { readonly losses: readonly Loss[]; readonly atMs: number },
): void {
  const { id: holdId, organizationId, keyId, tag, budgetIds: budgets } = hold;
  for (const [index, { cost: amount, model, provider, reason }] of losses.entries()) {
    const id = `${holdId}.loss.${index + 1}`;
    const of = { organizationId, keyId, ...(tag !== undefined && { tag }), ...(budgets && { budgets }) };
    const lost = { ...of, amount, atMs, model, provider, reason };
    state.append({ kind: 'loss', id, ...lost }, hold);
  }
}

/** Whether the entry was applied before. @throws LedgerError `duplicate_…` if the id was used with other arguments. */
function wasApplied(state: LedgerState, entry: AppliedEntry): boolean {
  const { kind, id, keyId, amount, budgets } = entry;
  const earlier = state.findApplied(entry);
  if (earlier === undefined) return false;
  const isSame = earlier.keyId === keyId && earlier.amount === amount;
  if (isSame && String(earlier.budgets ?? '') === String(budgets ?? '')) return true;
  throw new LedgerError(`duplicate_${kind}`, `${kind}Id: "${id}" was used before with other arguments`);
}

function duplicateHold(holdId: string): LedgerError {
  return new LedgerError('duplicate_hold', `holdId: "${holdId}" was used before`);
}

function repeated({ status, cost }: EndedHold): HoldEnding {
  return { status, cost, first: false };
}

function endedHold<H extends StoredHold>(state: LedgerState<H>, holdId: string): EndedHold & { readonly hold: H } {
  const ended = state.findEndedHold(holdId);
  if (ended === undefined) throw new LedgerError('unknown_hold', `holdId: no hold "${holdId}" is known`);
  return ended;
}
