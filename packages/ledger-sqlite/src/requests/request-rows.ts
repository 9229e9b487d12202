import { type AttemptRow, attemptOf, type LoggedRequest } from '@searchgate/core/ledger';
import type { SqliteValue } from '../engine/connection.js';
import { flag, ids, json, plain, rowsOf, whole } from '../engine/rows.js';

/** A number with a fraction. */
const real = <T extends number | null>(column: string) => ({
  columns: [column],
  store: (value: T) => [value] as const,
  load: (row: readonly SqliteValue[], at: number) => (row[at] === null ? null : Number(row[at])) as T,
});

/** How a call is stored. Texts of the core's lists are as they are. */
export const REQUESTS = rowsOf<LoggedRequest>({
  requestId: plain('request_id'),
  answerId: plain('answer_id'),
  atMs: whole('at_ms'),
  endpoint: plain('endpoint'),
  keyId: plain('key_id'),
  organizationId: plain('organization_id'),
  tag: plain('tag'),
  budgets: ids('budgets', []),
  byok: flag('byok'),
  modelAsked: plain('model_asked'),
  model: plain('model'),
  provider: plain('provider'),
  status: whole('status'),
  reason: plain('reason'),
  stream: flag('stream'),
  cache: plain('cache'),
  cost: plain('cost'),
  upstreamCost: plain('upstream_cost'),
  loss: plain('loss'),
  durationMs: real('duration_ms'),
  upstreamMs: real('upstream_ms'),
  firstPartMs: real('first_part_ms'),
  cause: json('cause'),
  attempted: ids('attempted', []),
  attemptCount: whole('attempt_count'),
  rescued: flag('rescued'),
  attempts: {
    columns: ['attempts'],
    store: (value) => [attemptsText(value)],
    load: (row, at) => attemptsOf(row[at] as string),
  },
});

/** JSON, with amounts as texts. */
function attemptsText(attempts: readonly AttemptRow[]): string {
  return JSON.stringify(attempts.map((attempt) => ({ ...attempt, cost: attempt.cost?.toString() ?? null })));
}

function attemptsOf(text: string): readonly AttemptRow[] {
  return (JSON.parse(text) as Parameters<typeof attemptOf>[0][]).map(attemptOf);
}
