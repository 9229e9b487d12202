import { createHash } from 'node:crypto';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import type { IdSource } from '../base/ids.js';
import type { Clock } from '../base/time/clock.js';
import type { AnswerPlan, AnswerRequest } from '../call/answer.js';
import type { CallerAdmission } from '../call/caller-admission.js';
import type { IdempotencyRecords } from '../call/idempotency-records.js';
import type { Claim, StoredResponse } from '../ledger/idempotency-store.js';
import { type AnswerReply, isLong, type LongReply, replyText } from './answer-reply.js';
import type { AuthenticatedCall } from './handle-request-lifecycle.js';

export interface AnswerOnceDeps {
  /** The claimed `Idempotency-Key`s, with their responses. */
  readonly claims: Pick<IdempotencyRecords, 'take' | 'complete' | 'free'>;
  readonly callers: Pick<CallerAdmission, 'admit'>;
  readonly clock: Clock;
  readonly newId: IdSource;
}

export interface AnswerOnceInput {
  readonly idempotencyKey: string;
  readonly plan: AnswerPlan;
  readonly state: AuthenticatedCall;
}

/**
 * Runs a call once, however often it is repeated: claims its key before money is held, runs the call, and keeps the outcome if a provider
 * was asked. Frees the key of a call that was refused, or that may succeed next time. A repeated call gets the kept outcome at no cost, over HTTP
 * and in process.
 *
 * @returns the answer as JSON, the same text for each call; a long reply as it is.
 * @throws RequestError as the call itself does, and `idempotency_in_progress`, `idempotency_key_reused`, `ledger_unavailable` and, for a
 * repeated call, `rate_limited`.
 */
export async function answerOnce(
  { claims, callers, clock, newId }: AnswerOnceDeps,
  { idempotencyKey, plan, state }: AnswerOnceInput,
  run: () => Promise<AnswerReply>,
): Promise<AnswerReply> {
  const { requestId } = state.context;
  const nowMs = clock.now();
  const fingerprint = fingerprintOf(plan.request);
  const { id: keyId, organizationId } = state.apiKey;
  const claim: Claim = { keyId, organizationId, idempotencyKey, claimId: `claim_${newId(nowMs)}`, fingerprint };
  const earlier = await claims.take({ ...claim, nowMs, expiresAtMs: plan.expiresAtMs });
  if (earlier !== null) {
    // A repeated call holds no money, but counts against the caller's rate limits.
    await callers.admit(state.apiKey, state.context);
    return replay(earlier, state);
  }

  let reply: LongReply | string;
  try {
    const result = await run();
    reply = isLong(result) ? result : replyText(result);
  } catch (error) {
    await (isKept(error, state)
      ? claims.complete(claim, storedError(error, requestId), requestId)
      : claims.free(claim, requestId));
    throw error;
  }
  await claims.complete(claim, keptResponse(reply, requestId), requestId);
  return reply;
}

/**
 * Covers the fields' values, not the bytes of the body: white space in JSON and the transport make no difference. Optional fields added later
 * count only if present, so that calls without them keep their fingerprint.
 */
function fingerprintOf(request: AnswerRequest): string {
  const { model, call, search, routing, tag } = request;
  const asked = [model, ...call.fingerprintInput({ search, routing, tag })];
  // A reply may show what later rules forbid.
  const domains = request.scope?.rules?.name;
  if (domains !== undefined) asked.push({ domains });
  // The reply is another: a 202.
  if (request.asyncWriter !== undefined) asked.push('respond-async');
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

/** Longest reply that is kept, in UTF-16 code units: stores are no place for pages. */
export const MAX_KEPT_LENGTH = 1_024 * 1_024;

/** What is replayed of a success. Of a reply that is too large an error is kept, so that a repeated call is not charged again. */
function keptResponse(reply: LongReply | string, requestId: string): StoredResponse {
  if (typeof reply === 'string' && reply.length <= MAX_KEPT_LENGTH) return { status: 200, body: reply };
  return storedError(new RequestError('idempotency_result_too_large'), requestId);
}

/**
 * Only a permanent error of a call that reached a provider is kept. An earlier refusal has cost nothing, and a caller who adds credits
 * and repeats the call must be served. Errors of disconnected callers are not kept either: those callers must be able to
 * retry.
 */
function isKept(error: unknown, { context }: AuthenticatedCall): error is RequestError {
  if (!isRequestError(error) || error.retryable || error.reason === 'client_closed_request') return false;
  return context.attempts > 0 || context.joined;
}

/** A kept error. Errors of attempts have no other fields that callers see. */
export type StoredError = Pick<RequestError, 'reason' | 'details'> & { readonly requestId: string };

export function storedError({ reason, details, status }: RequestError, requestId: string): StoredResponse {
  const kept: StoredError = { reason, details, requestId };
  return { status, body: JSON.stringify(kept) };
}

/** @throws RequestError the error of the earlier call. */
function replay({ status, body }: StoredResponse, state: AuthenticatedCall): string {
  if (status < 400) {
    state.replay = {};
    return body;
  }
  const error = JSON.parse(body) as StoredError;
  state.replay = { requestId: error.requestId };
  throw restoredError(error);
}

export function restoredError({ reason, details }: StoredError): RequestError {
  return new RequestError(reason, { details });
}
