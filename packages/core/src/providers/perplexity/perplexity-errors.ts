import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where Perplexity differs from the common meaning of statuses (docs.perplexity.ai, read 2026-11-20). */
export const PERPLEXITY_ERRORS: ErrorTable = [
  // An account out of credit has been reported as a 401 that is not about the key, and may be a 429 (low confidence: not seen again since).
  { status: [401, 403, 429], code: /insufficient_quota|insufficient_credit/i, reason: 'upstream_quota_exhausted' },
  {
    status: [401, 403, 429],
    message: /insufficient (?:quota|credit|balance)|out of credits?/i,
    reason: 'upstream_quota_exhausted',
  },
  // The only part of the request that can be too large is the query.
  { status: 413, reason: 'query_rejected' },
  // A tool server behind Perplexity failed.
  { status: 424, reason: 'upstream_error' },
];
