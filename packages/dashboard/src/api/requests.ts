import { setImmediate as nextTurn } from 'node:timers/promises';
import { REASONS } from '@searchgate/core';
import { type FoundRequest, formatUsd, type LoggedRequest, parseUsd } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { Scope } from '../scope.js';
import type { LoggedAttempt, Page, RequestRow, RequestWithAttempts } from './contract.js';
import { csvDownload, csvLines, csvOfCells } from './csv.js';
import { type Exchange, isoTime, json, type PageQuery, pageFields, type Routes, readQuery } from './exchange.js';
import { notFound, Problem } from './problem.js';
import { type RowWithText, requireReader, type TextDeps, textReader } from './request-texts.js';
import { toWire } from './wire-names.js';

/** A parameter that is a time. In milliseconds since the Unix epoch. */
export const time = z.iso
  .datetime({ offset: true, error: 'must be a time such as "2026-11-26T02:40:00Z"' })
  .transform((text) => Date.parse(text));
const STATUS = 'must be 2, 4 or 5 for a hundred, or a status such as 402';

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)
  .optional();

const filterFields = {
  since: time.optional(),
  until: time.optional(),
  organization: z.string().optional(),
  key: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  status: z
    .string()
    .regex(/^([1-5]|[1-5]\d\d)$/, STATUS)
    .transform(Number)
    .optional(),
  reason: z.string().optional(),
  tag: z.string().optional(),
  budget: z.string().optional(),
  attempted: z.string().optional(),
  rescued: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .optional(),
  min_cost: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be US dollars such as 0.05')
    .transform(parseUsd)
    .optional(),
  min_duration_ms: wholeNumber,
  min_attempts: wholeNumber,
};
const filterQuery = z.strictObject(filterFields);
export const requestCsvQuery = z.strictObject({ ...filterFields, texts: z.literal('true').optional() });
export const requestQuery = z.strictObject({
  ...filterFields,
  id: z.string().optional(),
  limit: pageFields.limit,
  cursor: z
    .string()
    .regex(/^\d{1,15}\.\S{1,128}$/, 'must be the next_cursor of the page before')
    .optional(),
});
type Filters = z.output<typeof filterQuery>;

/** Most rows of a download. */
const MAX_ROWS = 10_000;
/** Rows that are read and written in one turn of the event loop: a log in SQLite makes all other calls wait. */
const SLICE_ROWS = 100;
/** Behind so many characters a download with questions and answers ends. */
const MAX_CHARACTERS = 16_000_000;
/** A page may be short: a log with filters reads a bounded part at once. */
const MAX_PAGES = MAX_ROWS / SLICE_ROWS + 30;

const COLUMNS = [
  'at',
  'status',
  'reason',
  'endpoint',
  'model',
  'model_asked',
  'provider',
  'cost',
  'upstream_cost',
  'loss',
  'duration_ms',
  'upstream_ms',
  'first_part_ms',
  'stream',
  'cache',
  'organization_id',
  'key_id',
  'tag',
  'budgets',
  'byok',
  'cause',
  'attempted',
  'attempt_count',
  'rescued',
  'request_id',
  'answer_id',
] as const satisfies readonly (keyof RequestRow)[];

const COLUMNS_WITH_TEXTS = [...COLUMNS, 'question', 'answer', 'is_cut'] as const;

type LogQuery = Partial<Pick<Filters, 'organization' | 'key' | 'since' | 'until'>>;

/** A query as a filter of logs: of the organizations that the user may see. @throws Problem 400, 404. */
export function logFilter<T extends LogQuery>(scope: Scope, { organization, key, since, until, ...rest }: T) {
  if (organization !== undefined) scope.require(organization);
  if (since !== undefined && until !== undefined && since >= until)
    throw new Problem(400, 'must be before "until"', 'since');
  const all = scope.organizations === 'all' ? undefined : scope.organizations;
  const organizations = organization === undefined ? all : [organization];
  return { ...rest, keyId: key, sinceMs: since, untilMs: until, organizations };
}

function requestFilter(scope: Scope, { min_cost, min_duration_ms, min_attempts, ...filters }: Filters) {
  const least = { minCost: min_cost, minDurationMs: min_duration_ms, minAttempts: min_attempts };
  return { ...logFilter(scope, filters), ...least };
}

/** The log of calls, for operators and viewers alike: of the organizations that they may see. */
export function requestRoutes(deps: TextDeps): Routes {
  const { requests } = deps.administration;
  if (requests === null) return {};
  const texts = textReader(deps);

  async function seen({ scope }: Exchange, id: string): Promise<LoggedRequest | undefined> {
    const row = await requests?.get(id);
    return row !== undefined && scope.has(row.organizationId) ? row : undefined;
  }

  /** The calls that fit, as far as the user may see them. */
  async function find({ scope }: Exchange, filters: Filters, page: PageQuery) {
    const found = await requests?.find(requestFilter(scope, filters), page);
    return { data: found?.rows.map(wireOf) ?? [], next_cursor: found?.nextCursor ?? null };
  }

  return {
    'api/v1/requests': {
      async GET(exchange) {
        const { id, limit, cursor, ...filters } = readQuery(exchange, requestQuery);
        if (id === undefined) return json(await find(exchange, filters, { limit, cursor }));
        const row = await seen(exchange, id);
        const one: Page<RequestRow> = { data: row === undefined ? [] : [wireOf(row)], next_cursor: null };
        return json(one);
      },
    },
    'api/v1/requests.csv': {
      async GET(exchange) {
        const { texts: withTexts, ...filters } = readQuery(exchange, requestCsvQuery);
        if (withTexts) texts.beginDownload(exchange.scope, filters.organization);
        const columns = withTexts ? COLUMNS_WITH_TEXTS : COLUMNS;
        const slices = [csvLines([columns])];
        let [left, characters] = [MAX_ROWS, 0];
        let cursor: string | undefined;
        for (let pages = 0; pages < MAX_PAGES && left > 0 && characters < MAX_CHARACTERS; pages += 1) {
          const page = await find(exchange, filters, { limit: Math.min(SLICE_ROWS, left), cursor });
          const rows: readonly RowWithText[] = withTexts
            ? await texts.addTo(page.data, exchange.clock.now())
            : page.data;
          const slice = csvOfCells(columns, rows);
          slices.push(slice);
          if (withTexts) characters += slice.length;
          left -= page.data.length;
          if (page.next_cursor === null) break;
          cursor = page.next_cursor;
          await nextTurn();
        }
        const name = `requests-${isoTime(exchange.clock.now()).slice(0, 10)}.csv`;
        return csvDownload(name, slices.join(''));
      },
    },
    'api/v1/requests/*/text': {
      async GET(exchange) {
        requireReader(exchange.scope);
        const row = await seen(exchange, exchange.id);
        if (row === undefined) throw notFound();
        return json(await texts.read(exchange, row));
      },
    },
    'api/v1/requests/*': {
      async GET(exchange) {
        const row = await seen(exchange, exchange.id);
        if (row === undefined) throw notFound();
        const attempts = row.attempts.map(({ cost, ...rest }): LoggedAttempt => toWire({ ...rest, cost: usd(cost) }));
        const body: RequestWithAttempts = { ...wireOf(row), message: messageOf(row.reason), attempts };
        return json(body);
      },
    },
  };
}

/** A call without its attempts. */
function wireOf(call: FoundRequest): RequestRow {
  const { atMs, cost, upstreamCost, loss, attempts: _, ...row } = call;
  const amounts = { cost: usd(cost), upstreamCost: usd(upstreamCost), loss: formatUsd(loss) };
  return toWire({ ...row, ...amounts, at: isoTime(atMs) });
}

/** What callers are told of this reason. */
function messageOf(reason: string | null): string | null {
  return reason !== null && Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS].message : null;
}

function usd(amount: bigint | null): string | null {
  return amount === null ? null : formatUsd(amount);
}
