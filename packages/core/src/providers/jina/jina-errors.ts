import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where Jina differs from the common meaning of statuses (jina-ai/node-DeepResearch of 2025-10-06, read 2026-11-21). */
export const JINA_ERRORS: ErrorTable = [
  // 402 by that source; Jina's other products report an empty balance with 403 and a code.
  { message: /balance not enough|insufficient (?:account )?balance/i, reason: 'upstream_quota_exhausted' },
  { code: /INSUFFICIENT_BALANCE/, reason: 'upstream_quota_exhausted' },
  // The class of errors for harmful content (low confidence that this product uses it).
  { status: 451, reason: 'query_rejected' },
];
