import { LedgerError } from '../base/errors/ledger-error.js';
import { checkLedgerId, refusal } from '../base/options/check-argument.js';
import type { AuditFilter, AuditLog } from '../ledger/audit-log.js';
import { placeOf, type RequestFilter, type RequestLog } from '../ledger/request-log.js';
import type { ChangeAdministration, ReplyAdministration, RequestAdministration } from './administration.js';
import { checkFields, checkOrder } from './read-arguments.js';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const CHANGE_FIELDS = ['sinceMs', 'untilMs', 'organizations', 'keyId', 'actor'];
const REQUEST_FIELDS = [...CHANGE_FIELDS.slice(0, 4), 'model', 'provider', 'status', 'reason', 'tag'];

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
      checkFilter(filter, REQUEST_FIELDS);
      checkLimit(limit);
      if (cursor !== undefined) checkCursor(cursor);
      return log.find(filter, { limit, ...(cursor !== undefined && { cursor }) });
    },
    get: async (id) => (isText(id) ? log.get(id) : undefined),
    erase: async (organizationId) => log.erase(organizationId),
  };
}

/** An operator's view of the record of changes. */
export function administerChanges(log: AuditLog): ChangeAdministration {
  return {
    async find(filter, { limit = DEFAULT_LIMIT, cursor } = {}) {
      checkFilter(filter, CHANGE_FIELDS);
      checkLimit(limit);
      if (cursor !== undefined && !isText(cursor)) throw invalidCursor();
      return log.find(filter, { limit, ...(cursor !== undefined && { cursor }) });
    },
    erase: async (organizationId) => log.erase(organizationId),
  };
}

/** An operator's view of kept replies. */
export function administerReplies(eraseReplies: (organizationId: string) => Promise<number>): ReplyAdministration {
  return {
    async erase(organizationId) {
      checkLedgerId('organizationId', organizationId);
      return eraseReplies(organizationId);
    },
  };
}

function checkLimit(limit: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return;
  throw refusal('invalid_argument', 'limit', { found: limit, expected: `1 to ${MAX_LIMIT}` });
}

function checkFilter(filter: RequestFilter | AuditFilter, fields: readonly string[]): void {
  checkFields('find', filter, fields);
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
    throw invalidCursor();
  }
}

function invalidCursor(): LedgerError {
  return new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page');
}
