import type { NanoUsd } from '../base/money.js';
import { fitsRate, type RateLimit } from '../base/time/rate-limit.js';
import type {
  AdmissionRefused,
  AdmitRequest,
  BudgetRefused,
  HoldAccepted,
  HoldRequest,
  OrganizationTotals,
  RatesUsed,
} from './ledger.js';

/** The two budgets that a hold has to fit. */
export interface Budgets {
  /** Its credits, usage and open holds. */
  readonly organization: OrganizationTotals;
  /** Its usage and open holds. */
  readonly key: KeyBudget;
}

/** What a key has spent and holds. */
export interface KeyBudget {
  /** In the present window, if the limit resets. */
  readonly usage: NanoUsd;
  /** Nanodollars in its open holds. */
  readonly held: NanoUsd;
  /** When the limit resets, in milliseconds since the Unix epoch; `null` for never. */
  readonly resetsAtMs: number | null;
}

/**
 * Decides a hold by the present figures: accepts the largest requested amount that fits both budgets, or refuses with the reason why even the smallest
 * amount does not fit. For ledgers that read these figures and hold in one atomic step: nothing may change the figures in between.
 */
export function decideHold(request: HoldRequest, { organization, key }: Budgets): HoldAccepted | BudgetRefused {
  const { keyLimit, amount, acceptableAmounts = [], operatorPays = false } = request;
  const { credits, usage, held } = organization;
  const organizationRoom = operatorPays ? null : credits - usage - held;
  const keyRoom = keyLimit === null ? null : keyLimit - key.usage - key.held;
  const fits = (wanted: NanoUsd) =>
    (organizationRoom === null || wanted <= organizationRoom) && (keyRoom === null || wanted <= keyRoom);
  const fitting = fits(amount) ? amount : acceptableAmounts.find(fits);
  if (fitting !== undefined) return { status: 'held', amount: fitting };

  const required = acceptableAmounts.at(-1) ?? amount;
  const fitsWithoutHolds =
    (operatorPays || usage + required <= credits) && (keyLimit === null || key.usage + required <= keyLimit);
  if (keyLimit !== null && keyRoom !== null && required > keyRoom) {
    return { status: 'refused', by: 'key_limit', limit: keyLimit, required, ...key, fitsWithoutHolds };
  }
  const ofOrganization = { limit: credits, usage, held, resetsAtMs: null };
  return { status: 'refused', by: 'organization_credits', ...ofOrganization, required, fitsWithoutHolds };
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
