import { RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import type { AdmitResult, Ledger } from '../ledger/ledger.js';
import type { AnswerRequest, RequestContext } from './answer.js';
import { type CallerLimits, hasRate } from './caller-limits.js';
import { admissionRefusal } from './hold-refusal.js';
import type { RateLimitCache } from './rate-limit-cache.js';

export interface CallerAdmissionDeps {
  readonly ledger: Pick<Ledger, 'admit'>;
  readonly refusals: RateLimitCache;
  readonly logger: Logger;
  limitsOf(apiKey: AnswerRequest['apiKey']): CallerLimits;
}

/** Checks the rate limits of callers outside of a hold. */
export type CallerAdmission = ReturnType<typeof createCallerAdmission>;

const RETRY_AFTER_MS = 1_000;

export function createCallerAdmission({ ledger, refusals, logger, limitsOf }: CallerAdmissionDeps) {
  return {
    /** Refuses, without asking the ledger, a caller that the ledger refused and whose next request does not fit yet. @throws RequestError `rate_limited`. */
    check(apiKey: AnswerRequest['apiKey'], context: RequestContext): void {
      const limits = limitsOf(apiKey);
      const refused = hasRate(limits) ? refusals.find(apiKey, limits) : undefined;
      if (refused === undefined) return;
      if (refused.ratesUsed !== undefined) context.rates = { ...limits, used: refused.ratesUsed };
      throw admissionRefusal(refused, limits);
    },
    /** Counts a request that needs no hold. @throws RequestError `rate_limited` or `ledger_unavailable`. */
    async admit(apiKey: AnswerRequest['apiKey'], context: RequestContext): Promise<void> {
      const limits = limitsOf(apiKey);
      if (!hasRate(limits)) return;
      const { id: keyId, organizationId } = apiKey;
      const { keyRateLimit, organizationRateLimit } = limits;
      let result: AdmitResult;
      try {
        result = await ledger.admit({ keyId, organizationId, keyRateLimit, organizationRateLimit });
      } catch (error) {
        logger.error({ error, requestId: context.requestId }, 'the ledger failed to admit a request');
        throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
      }
      if (result.ratesUsed !== undefined) context.rates = { ...limits, used: result.ratesUsed };
      if (result.status === 'admitted') return;
      refusals.note(apiKey, limits, result);
      throw admissionRefusal(result, limits);
    },
  };
}
