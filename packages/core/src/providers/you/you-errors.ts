import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where You.com differs from the common meaning of statuses (you.com/docs, read 2026-11-20). */
export const YOU_ERRORS: ErrorTable = [
  // Only the query of a request can be too long. Other 422s are about fields that the adapter sets.
  { status: [400, 422], code: 'string_too_long', reason: 'query_rejected' },
  { status: [400, 422], message: /too long|at most \d+ characters/i, reason: 'query_rejected' },
];
