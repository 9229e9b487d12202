import { RequestError } from './request-error.js';

const RETRY_AFTER_MS = 5_000;

/** The error after closing has begun. The caller should ask another process. */
export function shuttingDown(): RequestError {
  return new RequestError('shutting_down', { retryAfterMs: RETRY_AFTER_MS });
}
