import type { ErrorTable } from '../../provider-kit/classify.js';

/**
 * Z.ai's business codes, which say more than its statuses: an account without a balance is a 429 like one that asks too often (docs.z.ai, a copy of 2025-11
 * read 2026-11-21; those of web search by a third party, 2026-09-03).
 */
export const ZAI_ERRORS: ErrorTable = [
  { code: /^100[0-4]$/, reason: 'upstream_auth_failed' },
  // The account is inactive, unknown or locked; or may not use this API.
  { code: /^(?:111[0-2]|1121|1220)$/, reason: 'upstream_auth_failed' },
  // No balance; the calls of the day or of a plan are used up; a plan has expired. Keys of a coding plan get the first.
  { code: /^(?:1113|1304|130[89])$/, reason: 'upstream_quota_exhausted' },
  { code: /^(?:130[235]|1701)$/, reason: 'upstream_rate_limited' },
  // The prompt is too long; blocked by policy; unsafe or sensitive content.
  { code: /^(?:1261|130[01])$/, reason: 'query_rejected' },
  // Failures inside, and of the search engine.
  { code: /^(?:500|1120|1200|123[04]|170[23])$/, reason: 'upstream_error' },
];
