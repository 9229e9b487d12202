import type { Administration } from '@searchgate/core/administration';
import { formatUsd, type LoggedRequest, type RequestRow as LoggedRow } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { LoggedAttempt, Page, RequestRow } from './contract.js';
import { type Exchange, isoTime, json, pageFields, type Routes, readQuery } from './exchange.js';
import { notFound, Problem } from './problem.js';

const time = z.iso
  .datetime({ offset: true, error: 'must be a time such as "2026-11-26T02:40:00Z"' })
  .transform((text) => Date.parse(text));
const STATUS = 'must be 2, 4 or 5 for a hundred, or a status such as 402';

const query = z.strictObject({
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
  id: z.string().optional(),
  ...pageFields,
  cursor: z
    .string()
    .regex(/^\d{1,15}\.\S{1,128}$/, 'must be the next_cursor of the page before')
    .optional(),
});

/** The log of calls, for operators and viewers alike: of the organizations that they may see. */
export function requestRoutes({ requests }: Administration): Routes {
  if (requests === null) return {};

  async function seen({ scope }: Exchange, id: string): Promise<LoggedRequest | undefined> {
    const row = await requests?.get(id);
    return row !== undefined && scope.has(row.organizationId) ? row : undefined;
  }

  return {
    'api/v1/requests': {
      async GET(exchange) {
        const {
          id,
          limit,
          cursor,
          organization,
          key: keyId,
          since: sinceMs,
          until: untilMs,
          ...rest
        } = readQuery(exchange, query);
        if (id !== undefined) {
          const row = await seen(exchange, id);
          const one: Page<RequestRow> = { data: row === undefined ? [] : [wireOf(row)], next_cursor: null };
          return json(one);
        }
        const { scope } = exchange;
        if (organization !== undefined) scope.require(organization);
        if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs)
          throw new Problem(400, 'must be before "until"', 'since');
        const all = scope.organizations === 'all' ? undefined : scope.organizations;
        const organizations = organization === undefined ? all : [organization];
        const page = await requests.find({ ...rest, keyId, sinceMs, untilMs, organizations }, { limit, cursor });
        const answer: Page<RequestRow> = { data: page.rows.map(wireOf), next_cursor: page.nextCursor };
        return json(answer);
      },
    },
    'api/v1/requests/*': {
      async GET(exchange) {
        const row = await seen(exchange, exchange.id);
        if (row === undefined) throw notFound();
        const attempts = row.attempts.map(
          ({ provider, model, outcome, durationMs, cost }): LoggedAttempt => ({
            provider,
            model,
            outcome,
            duration_ms: durationMs,
            cost: usd(cost),
          }),
        );
        return json({ ...wireOf(row), attempts });
      },
    },
  };
}

function wireOf(row: LoggedRow): RequestRow {
  return {
    request_id: row.requestId,
    answer_id: row.answerId,
    at: isoTime(row.atMs),
    endpoint: row.endpoint,
    key_id: row.keyId,
    organization_id: row.organizationId,
    tag: row.tag,
    model_asked: row.modelAsked,
    model: row.model,
    provider: row.provider,
    status: row.status,
    reason: row.reason,
    stream: row.stream,
    cache: row.cache,
    cost: usd(row.cost),
    upstream_cost: usd(row.upstreamCost),
    loss: formatUsd(row.loss),
    duration_ms: row.durationMs,
    upstream_ms: row.upstreamMs,
    first_part_ms: row.firstPartMs,
  };
}

function usd(amount: bigint | null): string | null {
  return amount === null ? null : formatUsd(amount);
}
