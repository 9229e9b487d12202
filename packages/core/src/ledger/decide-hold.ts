import type { NanoUsd } from '../base/money.js';
import { fitsRate, msUntilFull, type RateLimit, rateUsedAt } from '../base/time/rate-limit.js';
import type {
  AdmissionRefused,
  AdmitRequest,
  AdmitResult,
  BudgetRefused,
  HoldAccepted,
  HoldRequest,
  OrganizationTotals,
  RatesUsed,
} from './ledger.js';
import type { LedgerState, RateSubject } from './ledger-state.js';

/** What is used and held of all that a hold has to fit. */
export interface Budgets {
  /** Its credits, usage and open holds. */
  readonly organization: OrganizationTotals;
  /** Its usage and open holds. */
  readonly key: SpentBudget;
  /** Those of the request, in its order. Absent for a request without budgets. */
  readonly budgets?: readonly SpentBudget[] | undefined;
}

/** What is used and held of the limit of a key or a budget. */
export interface SpentBudget {
  /** In the present window, if the limit resets. */
  readonly usage: NanoUsd;
  /** Nanodollars in its open holds. */
  readonly held: NanoUsd;
  /** When the limit resets, in milliseconds since the Unix epoch; `null` for never. */
  readonly resetsAtMs: number | null;
}

/**
 * Decides a hold by the present figures: accepts the largest requested amount that fits the key's limit, every budget and the credits, or refuses with the
 * reason why even the smallest amount does not fit. For ledgers that read these figures and hold in one atomic step: nothing may change the figures in between.
 */
export function decideHold(request: HoldRequest, spent: Budgets): HoldAccepted | BudgetRefused {
  const { amount, acceptableAmounts = [] } = request;
  const room = leastRoom(request, spent);
  const fitting = room === null || amount <= room ? amount : acceptableAmounts.find((each) => each <= room);
  if (fitting !== undefined) return { status: 'held', amount: fitting };
  const required = acceptableAmounts.at(-1) ?? amount;
  const bounds = boundsOf(request, spent);
  const full = bounds.find(({ limit, usage, held }) => required > limit - usage - held);
  if (full === undefined) throw new Error('a hold was refused that has room');
  const fitsWithoutHolds = bounds.every(({ limit, usage }) => usage + required <= limit);
  return { status: 'refused', ...full, required, fitsWithoutHolds };
}

/** The room for one more hold; `null` where nothing bounds it. Every call runs this function: without closures and lists where there are no budgets. */
function leastRoom(request: HoldRequest, { organization, key, budgets }: Budgets): NanoUsd | null {
  const { credits, usage, held } = organization;
  let room = request.operatorPays === true ? null : credits - usage - held;
  if (request.keyLimit !== null) room = lesser(room, request.keyLimit - key.usage - key.held);
  if (budgets === undefined) return room;
  for (const [index, spent] of budgets.entries()) {
    const limit = request.budgets?.[index]?.limit ?? null;
    if (limit !== null) room = lesser(room, limit - spent.usage - spent.held);
  }
  return room;
}

function lesser(room: NanoUsd | null, left: NanoUsd): NanoUsd {
  return room === null || left < room ? left : room;
}

type Bound = SpentBudget & Pick<BudgetRefused, 'by' | 'budget' | 'limit'>;

/** All that bounds a hold, in the order in which a refusal names it. */
function boundsOf({ keyLimit, budgets = [], operatorPays = false }: HoldRequest, spent: Budgets): Bound[] {
  const bounds: Bound[] = [];
  if (keyLimit !== null) bounds.push({ by: 'key_limit', limit: keyLimit, ...spent.key });
  for (const [index, used] of (spent.budgets ?? []).entries()) {
    const { id: budget, limit = null } = budgets[index] ?? {};
    if (limit !== null) bounds.push({ by: 'budget', budget, limit, ...used });
  }
  const { credits: limit, usage, held } = spent.organization;
  if (!operatorPays) bounds.push({ by: 'organization_credits', limit, usage, held, resetsAtMs: null });
  return bounds;
}

/** The number of open holds that use a slot. */
export interface SlotsTaken {
  /** Of the key alone. */
  readonly key: number;
  /** Of all its keys. */
  readonly organization: number;
}

type Limits = AdmitRequest & Pick<HoldRequest, 'keyMaxConcurrent' | 'organizationMaxConcurrent' | 'usesSlot'>;

/**
 * Decides by the present figures whether a request is admitted: first its slots, if it uses a slot, then its rates. For ledgers that read these figures and
 * hold in one atomic step.
 *
 * @param rates the used part of the rates that the request names; `undefined` if it names no rate.
 * @param slots `undefined` for a request without a hold.
 * @returns `undefined` if the request is admitted.
 */
export function decideAdmission(
  request: Limits,
  rates: RatesUsed | undefined,
  slots?: SlotsTaken,
): AdmissionRefused | undefined {
  if (slots !== undefined && request.usesSlot !== false) {
    if (isFull(slots.key, request.keyMaxConcurrent)) return { status: 'refused', by: 'key_concurrency' };
    if (isFull(slots.organization, request.organizationMaxConcurrent))
      return { status: 'refused', by: 'organization_concurrency' };
  }
  if (rates === undefined) return undefined;
  if (isOver(rates.key, request.keyRateLimit)) return { status: 'refused', by: 'key_rate' };
  if (isOver(rates.organization, request.organizationRateLimit)) return { status: 'refused', by: 'organization_rate' };
  return undefined;
}

function isFull(taken: number, most: number | null | undefined): boolean {
  return most != null && taken >= most;
}

function isOver(used: number | null, limit: RateLimit | null | undefined): boolean {
  return used !== null && limit != null && !fitsRate(used, limit);
}

/*
 * Counting of rates, for every synchronous engine. The engine provides the state: see LedgerState.
 */

const NO_RATES: RatesUsed = Object.freeze({ key: null, organization: null });

/** Counts a request against its rates only, without a hold. */
export function admitRequest(state: LedgerState, request: AdmitRequest): AdmitResult {
  const rates = ratesOf(state, request) ?? NO_RATES;
  const refused = decideAdmission(request, rates);
  const ratesUsed = countRates(state, request, { rates, requests: refused === undefined ? 1 : 0 });
  return refused === undefined ? { status: 'admitted', ratesUsed } : { ...refused, ratesUsed };
}

/** The used part of the rates that a request names; `null` for a rate that it does not name. */
export function readRates(state: LedgerState, request: AdmitRequest): RatesUsed {
  return ratesOf(state, request) ?? NO_RATES;
}

/** The used part of the rates that a request names. @returns `undefined` if the request names no rate. */
export function ratesOf(state: LedgerState, request: AdmitRequest): RatesUsed | undefined {
  const { keyId, organizationId, keyRateLimit, organizationRateLimit } = request;
  if (keyRateLimit == null && organizationRateLimit == null) return undefined;
  const nowMs = state.now();
  const usedOf = (subject: RateSubject, id: string, limit: RateLimit | null | undefined) =>
    limit == null ? null : rateUsedAt(state.readRate(subject, id), limit, nowMs);
  return {
    key: usedOf('key', keyId, keyRateLimit),
    organization: usedOf('organization', organizationId, organizationRateLimit),
  };
}

interface Counting {
  /** The result of {@link ratesOf}. */
  readonly rates: RatesUsed;
  /** 0 for a refused request. */
  readonly requests: 0 | 1;
}

/** Counts a request, unless it was refused. @returns the used part of the rates after that. */
export function countRates(state: LedgerState, request: AdmitRequest, { rates, requests }: Counting): RatesUsed {
  const { keyId, organizationId, keyRateLimit, organizationRateLimit } = request;
  const nowMs = state.now();
  const count = (subject: RateSubject, id: string, limit: RateLimit | null | undefined) => {
    const before = rates[subject];
    if (limit == null || before === null) return null;
    const used = before + requests;
    // A refused request changes nothing, except after the clock was set back: then the rate has to drain from the present time on.
    if (requests > 0 || (state.readRate(subject, id)?.atMs ?? 0) > nowMs)
      state.setRate(subject, id, { used, atMs: nowMs, drainsAtMs: nowMs + msUntilFull(used, limit) });
    return used;
  };
  return {
    key: count('key', keyId, keyRateLimit),
    organization: count('organization', organizationId, organizationRateLimit),
  };
}
