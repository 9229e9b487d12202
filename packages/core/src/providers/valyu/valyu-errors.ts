import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where Valyu differs from the common meaning of statuses (docs.valyu.ai and its SDKs, read 2026-11-20). Only the text distinguishes errors. */
export const VALYU_ERRORS: ErrorTable = [
  // 402 by the documentation. The same words inside a stream, or with another status, are not documented (low confidence) and mean the same.
  {
    message: /insufficient (?:credit|balance|fund)|not enough credit|out of credit|monthly limit/i,
    reason: 'upstream_quota_exhausted',
  },
  // Failures inside a stream of status 200.
  { status: 200, message: /rate limit|too many requests/i, reason: 'upstream_rate_limited' },
];
