import { msUntilFull, type RateLimit, rateUsedAt } from '../base/time/rate-limit.js';
import { decideAdmission } from './decide-hold.js';
import type { AdmitRequest, AdmitResult, RatesUsed } from './ledger.js';
import type { LedgerState, RateSubject } from './ledger-state.js';

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
