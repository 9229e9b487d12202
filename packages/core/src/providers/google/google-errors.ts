import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where Google differs from the common meaning of statuses (ai.google.dev, and errors quoted in public, read 2026-11-21). */
export const GOOGLE_ERRORS: ErrorTable = [
  // A wrong key is an invalid argument; the reason stands in the details.
  { status: 400, code: /^API_KEY_/, reason: 'upstream_auth_failed' },
  { status: 400, message: /api key (?:not valid|not found|expired)/i, reason: 'upstream_auth_failed' },
  { status: 400, code: 'FAILED_PRECONDITION', message: /billing/i, reason: 'upstream_quota_exhausted' },
  { status: 400, message: /token count .* exceeds/i, reason: 'query_rejected' },
  // Every 429 says "exceeded your current quota": what a minute brings back, and what only a new day or money does.
  { status: 429, code: /PerDay/, reason: 'upstream_quota_exhausted' },
  {
    status: 429,
    message: /prepayment credits|spending cap|\blimit: 0\b|daily quota/i,
    reason: 'upstream_quota_exhausted',
  },
  // CANCELLED, by Google itself.
  { status: 499, reason: 'upstream_error' },
];
