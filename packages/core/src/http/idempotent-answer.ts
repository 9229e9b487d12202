import { createHash } from 'node:crypto';
import type { AnswerRequest } from '../answer/answer.js';
import type { AnswerPlan } from '../answer/plan-answer.js';
import type { Reason } from '../errors/reasons.js';
import { isRequestError, type RequestError } from '../errors/request-error.js';
import type { Claim, StoredResponse } from '../ledger/idempotency-store.js';
import type { AuthenticatedCall, HandlerDeps } from './endpoint.js';
import type { GatewayResponse } from './gateway-request.js';
import { jsonResponse } from './json-response.js';
import { errorResponse } from './present-error.js';
import { serverTiming } from './server-timing.js';

export interface IdempotentCall {
  readonly idempotencyKey: string;
  readonly plan: AnswerPlan;
  readonly call: AuthenticatedCall;
}

type OnceDeps = Pick<HandlerDeps, 'claims' | 'clock' | 'newId'>;

/**
 * Makes a call once, however often it is repeated: claims its name before any money is held, runs it, and keeps the response of what was
 * executed. A call that was refused, or may succeed next time, gives its name back. A repeated call gets the kept response at no cost.
 *
 * @throws RequestError as the call itself does, and `idempotency_in_progress`, `idempotency_key_reused` or `ledger_unavailable`.
 */
export async function answerOnce(
  { claims, clock, newId }: OnceDeps,
  { idempotencyKey, plan, call }: IdempotentCall,
  run: () => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  const { requestId } = call.trace;
  const nowMs = clock.now();
  const claim: Claim = { keyId: call.apiKey.id, idempotencyKey, claimId: `claim_${newId(nowMs)}` };
  const fingerprint = fingerprintOf(plan.request);
  const earlier = await claims.take({ ...claim, fingerprint, nowMs, expiresAtMs: plan.expiresAtMs });
  if (earlier !== null) return replay(earlier, call, clock.monotonic());

  let response: GatewayResponse;
  try {
    response = await run();
  } catch (error) {
    await (isKept(error, call)
      ? claims.complete(claim, stored(errorResponse(error, requestId)), requestId)
      : claims.free(claim, requestId));
    throw error;
  }
  await claims.complete(claim, stored(response), requestId);
  return response;
}

/** Of what is asked, not of its bytes: the same whoever has parsed the body, and whatever space stands between its fields. */
function fingerprintOf({ model, query, includeCitations }: AnswerRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([model, query, includeCitations]))
    .digest('hex');
}

/**
 * Only what was executed is kept: a permanent error of a call that reached a provider. What was refused before that has cost nothing, and a
 * caller who adds credits and repeats the call must be served. Errors of disconnected callers are not kept either: they must be able to
 * retry.
 */
function isKept(error: unknown, { trace }: AuthenticatedCall): error is RequestError {
  if (!isRequestError(error) || error.retryable || error.reason === 'client_closed_request') return false;
  return trace.attempts > 0;
}

function stored({ status, body }: GatewayResponse): StoredResponse {
  return { status, body: String(body) };
}

/** No permanent error that comes after an attempt has headers of its own, so status and body are all there is to say again. */
function replay({ status, body }: StoredResponse, call: AuthenticatedCall, nowMs: number): GatewayResponse {
  call.replay = { reason: status < 400 ? null : reasonIn(body) };
  const headers = { 'idempotent-replayed': 'true', ...(status < 400 && serverTiming(call, nowMs)) };
  return jsonResponse(call.trace.requestId, body, { status, headers });
}

function reasonIn(envelope: string): Reason {
  return (JSON.parse(envelope) as { error: { reason: Reason } }).error.reason;
}
