import { LedgerError } from '../base/errors/ledger-error.js';
import { MAX_NANO_USD } from '../base/money.js';
import { checkLedgerId, checkPageSize, refusal } from '../base/options/check-argument.js';
import type { AuditFilter, AuditLog } from '../ledger/audit-log.js';
import { byPlace, placeOf, type RequestFilter, type RequestLog, type RequestRow } from '../ledger/request-log.js';
import { STEPS_MS, type StatisticsQuery } from '../ledger/request-statistics.js';
import type { RequestTextOwner } from '../ledger/request-texts.js';
import type { ChangeAdministration, RequestAdministration } from './administration.js';
import { checkFields, checkOrder } from './read-arguments.js';

const MAX_LIMIT = 1_000;
const MAX_NEWEST = 10_000;
const MAX_TEXTS = 100;
const MAX_ORGANIZATIONS = 200;
/** Each round reads a page of each organization. */
const MAX_ROUNDS = 10;
const AT_ONCE = 20;
const CHANGE_FIELDS = ['sinceMs', 'untilMs', 'organizations', 'keyId', 'actor'];
const REQUEST_FIELDS = CHANGE_FIELDS.slice(0, 4).concat(
  'model provider status reason tag budget attempted rescued minCost minDurationMs minAttempts'.split(' '),
);
const GROUP_FIELDS = ['endpoint', 'model', 'provider', 'outcome'];
const STATISTICS_FIELDS = [
  'of',
  'step',
  'by',
  'sinceMs',
  'untilMs',
  'organizations',
  'organizationId',
  ...GROUP_FIELDS,
];
const BY: readonly unknown[] = ['atMs', 'organizationId', ...GROUP_FIELDS];

const TEXT = '1 to 512 characters without control characters';
const EXPECTED: Partial<Record<string, string>> = {
  sinceMs: 'milliseconds since the Unix epoch',
  untilMs: 'milliseconds since the Unix epoch',
  organizations: `at most 1,000 ids: ${TEXT}`,
  status: '2, 4 or 5 for a hundred, or 100 to 599',
  rescued: 'true or false',
  minCost: 'nanodollars, as a bigint from 0',
  minDurationMs: 'milliseconds',
  minAttempts: 'a whole number from 0',
  of: '"calls" or "attempts"',
  step: '"minute", "hour" or "day"',
  by: `different ones of ${BY.join(', ')}`,
};

function isValue(field: string, value: unknown): boolean {
  if (field === 'organizations') return Array.isArray(value) && value.length <= 1_000 && value.every(isText);
  if (field === 'status') return Number.isInteger(value) && /^([1-5]|[1-5]\d\d)$/.test(String(value));
  if (field === 'rescued') return typeof value === 'boolean';
  if (field === 'minCost') return typeof value === 'bigint' && value >= 0n && value <= MAX_NANO_USD;
  if (field === 'of') return value === 'calls' || value === 'attempts';
  if (field === 'step') return typeof value === 'string' && Object.hasOwn(STEPS_MS, value);
  if (field === 'by') return Array.isArray(value) && new Set(value).size === value.length && value.every(isBy);
  return field.endsWith('Ms') || field === 'minAttempts' ? Number.isSafeInteger(value) : isText(value);
}

const isBy = (field: unknown) => BY.includes(field);

function isText(value: unknown): boolean {
  return typeof value === 'string' && /^\P{C}{1,512}$/u.test(value);
}

/** An operator's view of the request log. */
export function administerRequests(log: RequestLog): RequestAdministration {
  return {
    async find(filter, { limit, cursor } = {}) {
      checkFilter(filter, REQUEST_FIELDS);
      const pageSize = checkPageSize('limit', limit);
      if (cursor !== undefined) checkCursor(cursor);
      return log.find(filter, { limit: pageSize, cursor });
    },
    async newest(filter, most) {
      checkFilter(filter, REQUEST_FIELDS);
      if (!Number.isInteger(most) || most < 1 || most > MAX_NEWEST)
        throw refusal('invalid_argument', 'most', { found: most, expected: `1 to ${MAX_NEWEST}` });
      const { organizations = await log.organizations(MAX_ORGANIZATIONS), ...rest } = filter;
      return readShares(
        log,
        organizations.map((id): Share => ({ filter: { ...rest, organizations: [id] } })),
        most,
      );
    },
    async statistics(query) {
      checkFilter(query, STATISTICS_FIELDS);
      for (const field of ['of', 'step', 'by', 'sinceMs', 'untilMs'] as const)
        if (!isValue(field, query[field]))
          throw refusal('invalid_argument', field, { found: query[field], expected: EXPECTED[field] ?? TEXT });
      return log.statistics(query);
    },
    get: async (id) => (isText(id) ? log.get(id) : undefined),
    async texts(ids) {
      if (ids.length > MAX_TEXTS || !ids.every(isText))
        throw refusal('invalid_argument', 'ids', { found: ids.length, expected: `at most ${MAX_TEXTS} ids: ${TEXT}` });
      return (await log.texts?.find(ids)) ?? [];
    },
    async erase(organizationId) {
      const erased = await log.erase(organizationId);
      // Those whose calls were lost.
      await log.texts?.erase({ organizationId });
      return erased;
    },
    async eraseTexts(owner) {
      checkFilter(owner, ['organizationId', 'keyId', 'tag']);
      checkLedgerId('organizationId', owner.organizationId);
      return (await log.texts?.erase(owner)) ?? 0;
    },
  };
}

/** The calls of one organization, behind those that were read. */
interface Share {
  readonly filter: RequestFilter;
  readonly cursor?: string | undefined;
}

/** Reads equal shares, and shares again what is left, as long as there is more. */
async function readShares(log: RequestLog, shares: readonly Share[], most: number) {
  const rows: RequestRow[] = [];
  let open = shares;
  for (let round = 0; round < MAX_ROUNDS && open.length > 0 && rows.length < most; round += 1) {
    const limit = Math.min(MAX_LIMIT, Math.max(1, Math.floor((most - rows.length) / open.length)));
    const next: Share[] = [];
    for (let from = 0; from < open.length; from += AT_ONCE)
      await Promise.all(
        open.slice(from, from + AT_ONCE).map(async ({ filter, cursor }) => {
          const page = await log.find(filter, { limit, cursor });
          rows.push(...page.rows);
          if (page.nextCursor !== null) next.push({ filter, cursor: page.nextCursor });
        }),
      );
    open = next;
  }
  return { rows: rows.sort(byPlace), isCut: open.length > 0 };
}

/** An operator's view of the record of changes. */
export function administerChanges(log: AuditLog): ChangeAdministration {
  return {
    async find(filter, { limit, cursor } = {}) {
      checkFilter(filter, CHANGE_FIELDS);
      const pageSize = checkPageSize('limit', limit);
      if (cursor !== undefined && !isText(cursor)) throw invalidCursor();
      return log.find(filter, { limit: pageSize, cursor });
    },
    erase: async (organizationId) => log.erase(organizationId),
  };
}

function checkFilter(
  filter: RequestFilter | AuditFilter | StatisticsQuery | RequestTextOwner,
  fields: readonly string[],
): void {
  checkFields('find', filter, fields);
  const { sinceMs, untilMs }: RequestFilter = filter;
  for (const [field, value] of Object.entries(filter)) {
    if (value === undefined || isValue(field, value)) continue;
    throw refusal('invalid_argument', field, { found: value, expected: EXPECTED[field] ?? TEXT });
  }
  checkOrder(['sinceMs', sinceMs], ['untilMs', untilMs]);
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
