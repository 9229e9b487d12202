import { isRequestError, RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';

const RETRY_AFTER_MS = 1_000;

/** Waits for figures of the ledger. @throws RequestError `ledger_unavailable` when the ledger fails. */
export async function readTotals<T>(totals: Promise<T>, logger: Logger): Promise<T> {
  try {
    return await totals;
  } catch (error) {
    if (isRequestError(error)) throw error;
    logger.error({ error }, 'the ledger failed to give totals');
    throw new RequestError('ledger_unavailable', { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
}
