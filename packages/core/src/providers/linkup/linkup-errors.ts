import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where Linkup differs from the common meaning of statuses (docs.linkup.so/pages/documentation/platform/errors, read 2026-11-20). */
export const LINKUP_ERRORS: ErrorTable = [
  // Nothing was found that answers the query; it costs nothing.
  { status: 400, code: 'SEARCH_QUERY_NO_RESULT', reason: 'no_answer_found' },
  // The account's balance and the key's budget; other 429s are limits of rate.
  { status: [402, 429], code: /INSUFFICIENT_FUNDS|EXCEED_BUDGET/i, reason: 'upstream_quota_exhausted' },
  // Asks callers without a key to pay on the spot: the key was not recognized.
  { status: 402, reason: 'upstream_auth_failed' },
  { status: 409, reason: 'upstream_rejected' },
];
