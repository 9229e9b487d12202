import { RequestError } from '../base/errors/request-error.js';
import { isLedgerId } from '../base/options/check-argument.js';
import { isoTime } from '../base/time/iso-time.js';
import type { HoldRecord } from '../ledger/ledger.js';
import { readTotals } from '../request/read-totals.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { jsonResponse } from './json-response.js';
import { jsonText, type Printable } from './json-text.js';
import type { AnswerStatusBody } from './success-bodies.js';

/** Below the mount point; the id of an answer follows. */
export const ANSWERS_PATH = '/api/v1/answers/';

const STATUSES: Readonly<Record<HoldRecord['status'], AnswerStatusBody['status']>> = {
  open: 'held',
  settled: 'charged',
  released: 'released',
  expired: 'expired',
};

/** `GET /api/v1/answers/{id}`: what became of an answer of the calling key, and what it cost. Neither query nor text is kept. */
export function answersEndpoint({ ledger, logger }: HandlerDeps): Endpoint {
  return {
    name: 'answers',
    ...READ_ONLY,
    async respond({ request }, { apiKey, trace }) {
      const id = request.path.slice(ANSWERS_PATH.length);
      const hold = isLedgerId(id) ? await readTotals(ledger.findHold(id), logger) : undefined;
      if (hold === undefined || hold.keyId !== apiKey.id || hold.organizationId !== apiKey.organizationId) {
        throw new RequestError('answer_not_found');
      }
      const { status, model, provider, cost, createdAtMs, endedAtMs } = hold;
      const times = { created_at: isoTime(createdAtMs), ended_at: endedAtMs === null ? null : isoTime(endedAtMs) };
      const body: Printable<AnswerStatusBody> = { id, status: STATUSES[status], model, provider, cost, ...times };
      return jsonResponse(trace.requestId, jsonText(body));
    },
  };
}
