import type { ErrorTable } from '../../provider-kit/classify.js';

/**
 * Where OpenAI differs from the common meaning of statuses. Codes mean the same in a run that failed, which comes with a 200 (SDK
 * 7.55.0 of 2026-11-10; billing codes: public logs up to 2025).
 */
export const OPENAI_ERRORS: ErrorTable = [
  // A 429 as a rule, and the last one a 400.
  {
    code: /^(?:insufficient_quota|billing_not_active|billing_hard_limit_reached)$/i,
    reason: 'upstream_quota_exhausted',
  },
  { code: 'rate_limit_exceeded', reason: 'upstream_rate_limited' },
  // Policies speak about the query; and so does length, since nothing else in a request is long.
  {
    code: /^(?:invalid_prompt|context_length_exceeded|\w+_policy(?:_violation)?)$/i,
    reason: 'query_rejected',
  },
  { status: 200, code: 'server_error', reason: 'upstream_error' },
  // The project may not be served from where it is asked: nothing that another attempt would change.
  { status: 200, code: 'data_residency_mismatch', reason: 'upstream_rejected' },
];
