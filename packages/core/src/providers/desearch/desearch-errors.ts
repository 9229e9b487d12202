import type { ErrorTable } from '../../provider-kit/classify.js';

/**
 * Where Desearch differs from the common meaning of statuses, of which its documentation names 401, 422, 429 and 500; a wrong key is a 403 (its own examples,
 * 2026-10-04).
 */
export const DESEARCH_ERRORS: ErrorTable = [
  // Nothing is written about an empty account (low confidence: neither words nor status have been seen).
  {
    status: [400, 401, 403, 429],
    message: /insufficient|not enough|out of (?:credits?|funds)|balance/i,
    reason: 'upstream_quota_exhausted',
  },
];
