import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where Mistral differs from the common meaning of statuses (its error glossary, and errors quoted in public, read 2026-11-21). */
export const MISTRAL_ERRORS: ErrorTable = [
  { status: [400, 422], message: /too large for model|maximum context length/i, reason: 'query_rejected' },
  // Requests, tokens a minute and tokens a month are all limited by 429s. What the last of them says is not documented (low confidence).
  { status: 429, message: /monthly|usage limit|billing|payment/i, reason: 'upstream_quota_exhausted' },
];
