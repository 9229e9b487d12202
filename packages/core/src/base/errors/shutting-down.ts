import { RequestError } from './request-error.js';

const RETRY_AFTER_MS = 5_000;

/** Closing has begun: another process should be asked. */
export function shuttingDown(): RequestError {
  return new RequestError('shutting_down', { retryAfterMs: RETRY_AFTER_MS });
}
