import type { ErrorTable } from '../../provider-kit/classify.js';

/** Where DeepSeek differs from the common meaning of statuses (errors quoted in public issues up to 2026-06, read 2026-11-22). */
export const DEEPSEEK_ERRORS: ErrorTable = [
  // All have the code `invalid_request_error`; only the words distinguish them (medium confidence for the Messages endpoint).
  { status: 400, message: /content exists risk/i, reason: 'query_rejected' },
  { status: 400, message: /maximum context length/i, reason: 'query_rejected' },
];
