import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where Tavily differs from the common meaning of statuses (its SDKs and public logs, read 2026-11-20). */
export const TAVILY_ERRORS: ErrorTable = [
  // Statuses of Tavily's own: the limit of the plan or key is reached (432), or that of paying as you go (433).
  { status: [432, 433], reason: 'upstream_quota_exhausted' },
  { status: 400, message: /query is too long|max query length/i, reason: 'query_rejected' },
];
