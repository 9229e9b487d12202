import type { ErrorTable } from '../../provider-kit/classify.js';

/**
 * Kagi's codes, whatever status they come with, for that is not documented (kagisearch/kagi-docs@a5dd9f8, 2024-05-31; the page has been
 * removed since, so medium confidence).
 */
export const KAGI_ERRORS: ErrorTable = [
  { code: '0', reason: 'upstream_error' },
  { code: '1', reason: 'upstream_rejected' },
  { code: '2', reason: 'upstream_auth_failed' },
  // No billing data, and not enough credit.
  { code: /^10[01]$/, reason: 'upstream_quota_exhausted' },
  { message: /insufficient credit/i, reason: 'upstream_quota_exhausted' },
  // The model failed.
  { code: '200', reason: 'upstream_error' },
];
