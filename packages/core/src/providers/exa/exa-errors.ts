import type { ErrorTable } from '../../provider-kit/classify.js';

/**
 * Where Exa differs from the common meaning of statuses. Tags are an open set, so the status comes first (exa.ai/docs/admin/error-codes,
 * read 2026-11-20).
 */
export const EXA_ERRORS: ErrorTable = [
  // The model found nothing to answer this query with; only /answer says so.
  { status: 501, reason: 'no_answer_found' },
  // A 403 is mostly about the account (a feature that is off), but moderation speaks about the query.
  { status: 403, code: /PROHIBITED_CONTENT|MODERAT/i, reason: 'query_rejected' },
  { status: 403, message: /moderat|prohibited content/i, reason: 'query_rejected' },
  // Limits per key, team and network are all 429; a spent budget has been seen to come as one too (low confidence).
  { status: 429, code: /NO_MORE_CREDITS|BUDGET_EXCEEDED/i, reason: 'upstream_quota_exhausted' },
];
