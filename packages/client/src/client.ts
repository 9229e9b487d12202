import type { AnswerBody, CreditsBody, KeyBody, ModelsBody } from '@searchgate/core';
import type { AnswerStatusBody, KindCalls, UsageBody } from '@searchgate/core/extensions';
import type { AnswerEvent } from './answer-events.js';
import type {
  AnswerRequest,
  AsyncAnswerRequest,
  CallOptions,
  KindReply,
  KindRequest,
  ModelsRequest,
  UsageRequest,
} from './client-options.js';

/** A method for each function of {@link KindCalls}, if the operator has a model for it. */
type KindMethods = { [Name in keyof KindCalls]: (request: KindRequest<Name>) => Promise<KindReply<Name>> };

/**
 * The endpoints of a gateway. Results are the bodies of the replies, unchanged. Every method rejects with a SearchgateError, or with a TypeError for an
 * invalid option.
 */
export interface Client extends KindMethods {
  /** `POST /api/v1/answer` */
  answer(request: AnswerRequest): Promise<AnswerBody>;
  /**
   * The same answer as a stream: `start`, `citations` and `delta`s, then `done`, or `error` if it breaks off after `start`. An error before `start` is
   * thrown. The call starts when the first event is requested, and is retried only until that event arrives. Leaving the loop early closes the connection;
   * the gateway still finishes and charges the answer.
   */
  answerStream(request: AnswerRequest): AsyncGenerator<AnswerEvent, void, undefined>;
  /**
   * The same answer without an open connection, for models that take minutes: asks with `Prefer: respond-async`, then looks the answer up until it is there.
   * At an operator without asynchronous answers it waits like `answer`. After a `timeout`, a call with the same `idempotencyKey` waits on.
   */
  answerAsync(request: AsyncAnswerRequest): Promise<AnswerBody>;
  /** `GET /api/v1/models` */
  models(request?: ModelsRequest): Promise<ModelsBody>;
  /** `GET /api/v1/credits`. USD of the whole organization. */
  credits(options?: CallOptions): Promise<CreditsBody>;
  /** `GET /api/v1/key`. USD of the API key, and of the budgets that its calls count in. */
  key(options?: CallOptions): Promise<KeyBody>;
  /** `GET /api/v1/usage`, if the operator offers it. USD of the API key, by day, model, tag or budget. */
  usage(request: UsageRequest): Promise<UsageBody>;
  /** `GET /api/v1/answers/{id}`, if the operator offers it: the state of an answer of the API key. */
  answerStatus(id: string, options?: CallOptions): Promise<AnswerStatusBody>;
}
