import type { ErrorTable } from '../../provider-kit/classify.js';

/**
 * Where xAI differs from the common meaning of statuses. Its codes are sentences, so that only messages distinguish cases; they are
 * quoted from public logs (2025-08 to 2026-09).
 */
export const XAI_ERRORS: ErrorTable = [
  // “Incorrect API key provided: …”
  { status: 400, message: /(?:incorrect|invalid) api key/i, reason: 'upstream_auth_failed' },
  // “Content violates usage guidelines. … Failed check: SAFETY_CHECK_TYPE_BIO”
  { status: [400, 403], message: /usage guidelines|SAFETY_CHECK/i, reason: 'query_rejected' },
  // “… has either used all available credits or reached its monthly spending limit”, “You have run out of credits …”
  { status: [403, 429], message: /credits|spending limit/i, reason: 'upstream_quota_exhausted' },
  // Nothing in a request is long but the question.
  { status: 400, message: /maximum prompt length/i, reason: 'query_rejected' },
];
