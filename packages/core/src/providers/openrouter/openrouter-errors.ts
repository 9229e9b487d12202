import type { ErrorTable } from '../../provider-kit/classify.js';

/**
 * Where OpenRouter differs from the common meaning of statuses (openrouter.ai/docs/api/reference/errors-and-debugging, read 2026-11-22). Once a model
 * has begun to answer, the status is 200 and the error has the code. The words of a 400 have medium confidence.
 */
export const OPENROUTER_ERRORS: ErrorTable = [
  { status: 403, message: /flagged|moderation/i, reason: 'query_rejected' },
  { status: 400, message: /maximum context length/i, reason: 'query_rejected' },
  { status: 200, code: '402', reason: 'upstream_quota_exhausted' },
  { status: 200, code: '429', reason: 'upstream_rate_limited' },
  { status: 200, code: /^(?:408|5\d\d)$/, reason: 'upstream_error' },
];
