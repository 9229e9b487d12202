import { LedgerError } from '../base/errors/ledger-error.js';
import { refusal } from '../base/options/check-argument.js';
import { placeOf, type RequestFilter, type RequestLog } from '../ledger/request-log.js';
import type { RequestAdministration } from './administration.js';
import { checkFields, checkOrder } from './read-arguments.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const FIELDS = ['sinceMs', 'untilMs', 'organizations', 'keyId', 'model', 'provider', 'status', 'reason', 'tag'];

/** An operator's view of the request log. */
export function administerRequests(log: RequestLog): RequestAdministration {
  return {
    async find(filter, { limit = DEFAULT_LIMIT, cursor } = {}) {
      checkFilter(filter);
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
        throw refusal('invalid_argument', 'limit', { found: limit, expected: `1 to ${MAX_LIMIT}` });
      if (cursor !== undefined) checkCursor(cursor);
      return log.find(filter, { limit, ...(cursor !== undefined && { cursor }) });
    },
    get: async (id) => log.get(id),
    erase: async (organizationId) => log.erase(organizationId),
  };
}

function checkFilter(filter: RequestFilter): void {
  checkFields('find', filter, FIELDS);
  checkOrder(['sinceMs', filter.sinceMs], ['untilMs', filter.untilMs]);
}

function checkCursor(cursor: string): void {
  try {
    placeOf(cursor);
  } catch {
    throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of requests');
  }
}
