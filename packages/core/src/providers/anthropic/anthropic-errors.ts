import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where Anthropic differs from the common meaning of statuses (its SDK 1.11.0 and errors quoted in public, read 2026-11-21). */
export const ANTHROPIC_ERRORS: ErrorTable = [
  { status: 400, code: 'organization_on_hold', reason: 'upstream_auth_failed' },
  // An account out of money is an invalid request with no code of its own; it is known only by its text (medium confidence).
  { status: 400, message: /credit balance is too low|api usage limits/i, reason: 'upstream_quota_exhausted' },
  { status: 400, message: /prompt is too long/i, reason: 'query_rejected' },
  // The only part of the request that can be too large is the query.
  { status: 413, reason: 'query_rejected' },
  { status: 429, code: /spend_limit_reached$/, reason: 'upstream_quota_exhausted' },
];
