import { RequestError } from '../base/errors/request-error.js';
import { isIdempotencyKey } from '../base/idempotency-key.js';
import type { AnswerRequest } from '../call/answer.js';
import type { CallerAdmission } from '../call/caller-admission.js';
import type { Answers } from '../call/run-answer.js';
import type { AnswerListener } from '../kinds/answer/answer-listener.js';
import { QuestionCall } from '../kinds/answer/question-call.js';
import type { CacheMode } from '../kinds/call-options.js';
import type { InFlightRequests } from '../limits/in-flight-requests.js';
import type { AnswerFields } from './answer-fields.js';
import { type AnswerReply, bodyOf } from './answer-reply.js';
import type { AsyncCall } from './async-answers.js';
import type { Capture } from './capture-texts.js';
import type { AuthenticatedCall } from './handle-request-lifecycle.js';
import { type AnswerOnceDeps, type AnswerOnceInput, answerOnce } from './idempotency.js';

export interface HandleAnswerDeps extends AnswerOnceDeps {
  /** The whole pipeline, from the plan to the result. */
  readonly answers: Answers;
  readonly admission: Pick<InFlightRequests, 'answers'>;
  /** The callers' rate limits. */
  readonly callers: CallerAdmission;
  /** Keeps questions and answers. `undefined` where the host wants none kept. */
  readonly capture?: Capture | undefined;
}

/** The fields of a call, checked. */
export type CallFields = Pick<AnswerRequest, 'model' | 'call' | 'search' | 'routing' | 'tag'>;

/** The fields of a question as those of a call. @param listener receives the answer as a stream; `null` when the caller wants the whole answer at once. */
export function questionFields(fields: AnswerFields, listener: AnswerListener | null): CallFields {
  const { model, search, routing, tag } = fields;
  return { model, search, routing, tag, call: new QuestionCall(fields, listener) };
}

export interface HandleAnswerInput {
  readonly fields: CallFields;
  readonly idempotencyKey: string | undefined;
  /** `refresh` ignores cached answers; `off` also does not cache the new answer. `undefined` uses the cache. */
  readonly cache: CacheMode | undefined;
  /** True once the caller has gone away: no further attempt begins. */
  isDisconnected(): boolean;
  /** A caller who does not wait gets the body of a 202. Default: the caller waits. */
  readonly asyncCall?: AsyncCall | undefined;
}

/** Makes a call whose caller and fields have been checked: plans it, takes a slot, and runs it, once per `idempotencyKey`. @throws RequestError */
export function handleAnswer(
  deps: HandleAnswerDeps,
  state: AuthenticatedCall,
  { fields, idempotencyKey, cache, isDisconnected, asyncCall }: HandleAnswerInput,
): Promise<AnswerReply> {
  const { answers, admission, capture } = deps;
  const { apiKey, context } = state;
  state.requestedModel = fields.model;
  capture?.asked(state, fields);
  const request = { apiKey, ...fields, cache, isDisconnected, asyncWriter: asyncCall };
  const plan = answers.plan(request, context);
  admission.answers.take(apiKey.organizationId);
  state.slot = admission.answers;
  const answered = (reply: AnswerReply) => {
    capture?.answered(state, fields.call, reply);
    return reply;
  };
  // Most gateways keep no texts: their calls need no further promise.
  const ask = () => (capture === undefined ? answers.run(plan, context) : answers.run(plan, context).then(answered));
  const run = asyncCall === undefined ? ask : () => asyncCall.start(plan, ask);
  if (idempotencyKey === undefined) return run();
  return answerRepeatable(deps, { idempotencyKey, plan, state, run });
}

async function answerRepeatable(
  deps: HandleAnswerDeps,
  { run, ...input }: AnswerOnceInput & { run(): Promise<AnswerReply> },
): Promise<AnswerReply> {
  const { state, plan } = input;
  const reply = await answerOnce(deps, input, run);
  if (state.replay === null) return reply;
  const { call, asyncWriter } = plan.request;
  call.replay(() => bodyOf(reply));
  // The reply of an asynchronous call has no answer.
  if (asyncWriter === undefined) deps.capture?.answered(state, call, reply);
  return reply;
}

/** @returns the key, `undefined` when the caller sent no key. @throws RequestError `invalid_idempotency_key`. */
export function checkIdempotencyKey(value: unknown): string | undefined {
  if (value !== undefined && !isIdempotencyKey(value)) throw new RequestError('invalid_idempotency_key');
  return value;
}
