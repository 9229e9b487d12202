import type { NanoUsd } from '../base/money.js';
import { isoTime } from '../base/time/iso-time.js';
import { SECOND_MS } from '../base/time/rate-limit.js';
import type { HoldRecord } from '../ledger/ledger.js';
import type { FoundAnswer } from '../request/async-answers.js';
import { openContext } from '../request/handle-request-lifecycle.js';
import type { Spending } from '../request/read-key-spending.js';
import { readKeyStanding } from '../request/read-key-standing.js';
import { readTotals } from '../request/read-totals.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { jsonResponse, servedPath } from './gateway-request.js';
import { jsonText, type Printable } from './json-text.js';
import { checkNoFilters } from './parameter-names.js';
import { presentRefusal } from './present-error.js';
import type { AnswerStatusBody, CreditsBody, KeyBody } from './success-bodies.js';

/**
 * `GET /api/v1/credits`: the organization's balance. Usage does not include money held by calls in flight. Where the operator pays, the credits are always
 * equal to the usage.
 */
export function creditsEndpoint({ ledger, logger }: HandlerDeps): Endpoint {
  return {
    name: 'credits',
    ...READ_ONLY,
    async respond({ request }, { apiKey, context }) {
      checkNoFilters(request.query);
      const { credits, usage } = await readTotals(ledger.organizationTotals(apiKey.organizationId), logger);
      const body: Printable<CreditsBody> = { total_credits: apiKey.operatorPays ? usage : credits, total_usage: usage };
      return jsonResponse(context.requestId, jsonText(body));
    },
  };
}

/** `GET /api/v1/key`: the calling key's usage, remaining budget, next reset, rate limit and concurrency limit, and its further budgets. */
export function keyEndpoint(deps: HandlerDeps): Endpoint {
  return {
    name: 'key',
    ...READ_ONLY,
    async respond({ request }, { apiKey, context }) {
      checkNoFilters(request.query);
      const { rateLimit, maxConcurrent, budgets, boundBy, ...spending } = await readKeyStanding(deps, apiKey);
      const rate = rateLimit && {
        requests: rateLimit.requests,
        period_seconds: rateLimit.periodMs / SECOND_MS,
        remaining: rateLimit.remaining,
      };
      const body: Printable<KeyBody> = {
        label: apiKey.label,
        ...shownSpending(apiKey.limit, spending),
        rate_limit: rate,
        max_concurrent: maxConcurrent,
        budgets: budgets.map(({ id, mode, limit, ...spent }) => ({ id, mode, ...shownSpending(limit, spent) })),
        bound_by: boundBy,
      };
      return jsonResponse(context.requestId, jsonText(body));
    },
  };
}

function shownSpending(limit: NanoUsd | null, { usage, remaining, limitReset, resetsAt }: Spending) {
  return { usage, limit, limit_remaining: remaining, limit_reset: limitReset, resets_at: resetsAt };
}

/** Below the mount point. The id of an answer follows. */
export const ANSWERS_PATH = '/api/v1/answers/';

const STATUSES: Readonly<Record<HoldRecord['status'], AnswerStatusBody['status']>> = {
  open: 'held',
  settled: 'charged',
  released: 'released',
  expired: 'expired',
};

/**
 * `GET /api/v1/answers/{id}`: the status and cost of an answer of the calling key, and of an asynchronous answer its text or its error. `DELETE` ends an
 * asynchronous answer that is under way.
 */
export function answersEndpoint({ asyncAnswers, endpoints }: HandlerDeps): Endpoint {
  return {
    name: 'answers',
    ...READ_ONLY,
    methods: endpoints.asyncAnswers === true ? [...READ_ONLY.methods, 'DELETE'] : READ_ONLY.methods,
    async respond({ request }, state) {
      const id = servedPath(request).slice(ANSWERS_PATH.length);
      const found = await (request.method === 'DELETE' ? asyncAnswers.cancel(id, state) : asyncAnswers.find(id, state));
      return jsonResponse(state.context.requestId, foundText(found));
    },
  };
}

function foundText({ hold, answer, failure }: FoundAnswer): string {
  const { holdId: id, status, model, provider, cost, createdAtMs, endedAtMs } = hold;
  const times = { created_at: isoTime(createdAtMs), ended_at: endedAtMs === null ? null : isoTime(endedAtMs) };
  const body: Printable<AnswerStatusBody> = { id, status: STATUSES[status], model, provider, cost, ...times };
  const text = jsonText(body);
  const rest = answer === null ? failure && `"error":${errorText(failure)}` : `"answer":${answer}`;
  return rest === null ? text : `${text.slice(0, -1)},${rest}}`;
}

function errorText({ error, requestId }: NonNullable<FoundAnswer['failure']>): string {
  return JSON.stringify(presentRefusal(error, { context: openContext(requestId), replay: null }).error);
}
