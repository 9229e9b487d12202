import { LedgerError } from '../base/errors/ledger-error.js';
import { refusal } from '../base/options/check-argument.js';
import { placeOf, type RequestFilter, type RequestLog } from '../ledger/request-log.js';
import type { RequestAdministration } from './administration.js';
import { checkFields, checkOrder } from './read-arguments.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const FIELDS = ['sinceMs', 'untilMs', 'organizations', 'keyId', 'model', 'provider', 'status', 'reason', 'tag'];

const TEXT = '1 to 512 characters without control characters';
const EXPECTED: Partial<Record<string, string>> = {
  sinceMs: 'milliseconds since the Unix epoch',
  untilMs: 'milliseconds since the Unix epoch',
  organizations: `at most 1,000 ids: ${TEXT}`,
  status: '2, 4 or 5 for a hundred, or 100 to 599',
};

function isValue(field: string, value: unknown): boolean {
  if (field === 'organizations') return Array.isArray(value) && value.length <= 1_000 && value.every(isText);
  if (field === 'status') return Number.isInteger(value) && /^([1-5]|[1-5]\d\d)$/.test(String(value));
  return field.endsWith('Ms') ? Number.isSafeInteger(value) : isText(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && /^\P{C}{1,512}$/u.test(value);
}

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
    get: async (id) => (isText(id) ? log.get(id) : undefined),
    erase: async (organizationId) => log.erase(organizationId),
  };
}

function checkFilter(filter: RequestFilter): void {
  checkFields('find', filter, FIELDS);
  for (const [field, value] of Object.entries(filter)) {
    if (value === undefined || isValue(field, value)) continue;
    throw refusal('invalid_argument', field, { found: value, expected: EXPECTED[field] ?? TEXT });
  }
  checkOrder(['sinceMs', filter.sinceMs], ['untilMs', filter.untilMs]);
}

function checkCursor(cursor: string): void {
  try {
    placeOf(cursor);
  } catch {
    throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of requests');
  }
}
