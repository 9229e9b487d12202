import { LedgerError } from '../base/errors/ledger-error.js';
import { magnitude, type NanoUsd } from '../base/money.js';
import { checkTotal } from '../base/options/check-argument.js';
import type { LimitReset } from '../base/time/limit-window.js';
import { countRates, decideAdmission, decideHold, type KeyBudget, ratesOf } from './decide-hold.js';
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
import type { AppliedEntry, EndedHold, HoldCounters, KeyCounters, LedgerState, StoredHold } from './ledger-state.js';
import { addUsage, type LimitWindows, presentWindow, projectedUsage, usageInWindow } from './window-usage.js';

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

/** @throws LedgerError `duplicate_adjustment`, or `invalid_amount` if a counter would overflow. */
export function applyAdjustment(state: LedgerState, adjustment: Adjustment): Applied {
  const { adjustmentId: id, organizationId, keyId = null, amount, note } = adjustment;
  const atMs = state.now();
  const entry = { kind: 'adjustment', id, organizationId, keyId, amount, atMs, note } as const;
  if (wasApplied(state, entry)) return { applied: false };
  const windows = state.windows(atMs);
  checkTotal('amount', state.readOrganization(organizationId).usage + amount);
  if (keyId !== null) checkTotal('amount', projectedUsage(state.readKey(keyId), amount, windows));
  state.organization(organizationId).usage += amount;
  if (keyId !== null) addUsage(state.key(keyId), amount, windows);
  state.append(entry);
  return { applied: true };
}

/**
 * Holds the largest requested amount that fits both budgets, or refuses with the reason. Slots and rates are checked first.
 *
 * @throws LedgerError `duplicate_hold`, or `invalid_amount` if a counter would overflow.
 */
export function placeHold(state: LedgerState, request: HoldRequest): HoldResult {
  const { holdId, organizationId, keyId } = request;
  const counters = { organization: state.readOrganization(organizationId), key: state.readKey(keyId) };
  const { organization, key } = counters;
  const rates = ratesOf(state, request);
  const slots = { key: key.inFlight, organization: organization.inFlight };
  const budgets = { organization, key: budgetOfKey(state, key, request) };
  const result = decideAdmission(request, rates, slots) ?? decideHold(request, budgets);
  if (result.status === 'refused') {
    const wasUsed = state.findOpenHold(holdId) !== undefined || state.findEndedHold(holdId) !== undefined;
    if (wasUsed) throw duplicateHold(holdId);
    return rates === undefined ? result : { ...result, ratesUsed: countRates(state, request, { rates, requests: 0 }) };
  }
  const { amount } = result;
  checkTotal('amount', organization.held + amount);
  checkTotal('amount', key.held + amount);
  const hold = state.addHold(request, amount, counters);
  if (hold === undefined) throw duplicateHold(holdId);
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
  const { id, organizationId, keyId, amount, model } = hold;
  addHeld(state.countersOf(hold), hold, -1);
  state.endHold(hold, EXPIRED);
  state.append({ kind: 'expired', id: `${id}.expired`, organizationId, keyId, amount, atMs: state.now(), model }, hold);
}

export function totalsOfOrganization(state: LedgerState, id: string): OrganizationTotals {
  const { credits, usage, held } = state.readOrganization(id);
  return { credits, usage, held };
}

export function totalsOfKey(state: LedgerState, keyId: string, limitReset: LimitReset | null): KeyTotals {
  const key = state.readKey(keyId);
  const { usage, held } = key;
  if (limitReset === null) return { usage, held, windowUsage: usage, resetsAtMs: null };
  const windows = state.windows(state.now());
  const { resetsAtMs } = presentWindow(key, limitReset, windows);
  return { usage, held, windowUsage: usageInWindow(key, limitReset, windows), resetsAtMs };
}

/** The budget of a hold's key: in the present window if its limit resets. */
function budgetOfKey(state: LedgerState, key: KeyCounters, { keyLimit, keyLimitReset }: HoldRequest): KeyBudget {
  const { usage, held } = key;
  if (keyLimit === null || keyLimitReset == null) return { usage, held, resetsAtMs: null };
  const windows = state.windows(state.now());
  const { resetsAtMs } = presentWindow(key, keyLimitReset, windows);
  return { usage: usageInWindow(key, keyLimitReset, windows), held, resetsAtMs };
}

type ChargeEntry = Extract<LedgerEntry, { kind: 'charge' }>;

interface Settlement {
  readonly charge: Charge;
  readonly late: boolean;
}

// Every answered call runs this function. The entry is written out, because spreading the charge would cost more than the rest of the function.
function settle<H extends StoredHold>(state: LedgerState<H>, hold: H, { charge, late }: Settlement): HoldEnding {
  const { id, organizationId, keyId, tag } = hold;
  const { cost: amount, model, provider, costSource, upstreamCost, losses } = charge;
  const atMs = state.now();
  const windows = state.windows(atMs);
  const counters = state.countersOf(hold);
  checkTotal('cost', projectedTotal(counters, amount, windows));
  if (!late) addHeld(counters, hold, -1);
  state.endHold(hold, { status: 'settled', cost: amount }, charge);
  if (losses !== undefined) appendLosses(state, hold, { losses, atMs });
  counters.organization.usage += amount;
  addUsage(counters.key, amount, windows);
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
  if (tag !== undefined) entry.tag = tag;
  state.append(entry, hold);
  return { status: 'settled', cost: amount, first: true };
}

/** @param times 1 for a new hold, -1 for one that ends. */
function addHeld({ organization, key }: HoldCounters, { amount, usesSlot }: StoredHold, times: 1 | -1): void {
  const held = times === 1 ? amount : -amount;
  organization.held += held;
  key.held += held;
  if (!usesSlot) return;
  organization.inFlight += times;
  key.inFlight += times;
}

/** The total farthest from zero among the totals that a charge changes. */
function projectedTotal({ organization, key }: HoldCounters, cost: NanoUsd, windows: LimitWindows): NanoUsd {
  const ofKey = projectedUsage(key, cost, windows);
  const ofOrganization = organization.usage + cost;
  return magnitude(ofOrganization) > magnitude(ofKey) ? ofOrganization : ofKey;
}

function appendLosses<H extends StoredHold>(
  state: LedgerState<H>,
  hold: H,
  { losses, atMs }: { readonly losses: readonly Loss[]; readonly atMs: number },
): void {
  const { id: holdId, organizationId, keyId, tag } = hold;
  for (const [index, { cost: amount, model, provider, reason }] of losses.entries()) {
    const id = `${holdId}.loss.${index + 1}`;
    const lost = { organizationId, keyId, amount, atMs, model, provider, reason, ...(tag !== undefined && { tag }) };
    state.append({ kind: 'loss', id, ...lost }, hold);
  }
}

/** Whether the entry was applied before. @throws LedgerError `duplicate_…` if the id was used with other arguments. */
function wasApplied(state: LedgerState, entry: AppliedEntry): boolean {
  const { kind, id, keyId, amount } = entry;
  const earlier = state.findApplied(entry);
  if (earlier === undefined) return false;
  if (earlier.keyId === keyId && earlier.amount === amount) return true;
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
