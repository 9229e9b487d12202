import { fitsRate, type RateLimit } from '../base/time/rate-limit.js';
import type { AdmissionRefused, AdmitRequest, HoldRequest, RatesUsed } from './ledger.js';

/** How many open holds take a slot at present. */
export interface SlotsTaken {
  readonly key: number;
  readonly organization: number;
}

type Limits = AdmitRequest & Pick<HoldRequest, 'keyMaxConcurrent' | 'organizationMaxConcurrent' | 'usesSlot'>;

/**
 * Decides by the figures of the moment whether a request may come in: its slots, where it takes one, then its rates. For ledgers that read these
 * figures and hold in one atomic step.
 *
 * @param rates what is used of the rates the request names; `undefined` where it names none.
 * @param slots `undefined` for a request that holds nothing.
 * @returns `undefined` where it may.
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
