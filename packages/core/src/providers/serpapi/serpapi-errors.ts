import type { ErrorTable } from '../../provider-kit/classify.js';

/**
 * Where SerpApi differs from the common meaning of statuses. It reports its errors only as text, some of them with HTTP 200 (public clients and their
 * recorded replies, read 2026-11-21).
 */
export const SERPAPI_ERRORS: ErrorTable = [
  { message: /hasn['’]t returned any results/i, reason: 'no_answer_found' },
  // Out of searches for the month. A 429 is otherwise about the searches of an hour.
  { message: /run out of searches|searches for the month are exhausted/i, reason: 'upstream_quota_exhausted' },
  { message: /invalid api key/i, reason: 'upstream_auth_failed' },
  // The query is a part of the address, and the only one that can make it too long (low confidence: not seen).
  { status: [413, 414, 431], reason: 'query_rejected' },
];
