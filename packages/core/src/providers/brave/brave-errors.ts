import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where Brave differs from the common meaning of statuses (public error replies and measurements of 2026-09, read 2026-11-20). */
export const BRAVE_ERRORS: ErrorTable = [
  // Brave answers a wrong key, or a key of another plan, with another status than 401.
  { code: /^SUBSCRIPTION_(?:TOKEN_(?:INVALID|MISSING)|NOT_FOUND)$/, reason: 'upstream_auth_failed' },
  { code: 'QUOTA_LIMITED', reason: 'upstream_quota_exhausted' },
  { code: 'RATE_LIMITED', reason: 'upstream_rate_limited' },
];
