import type { AnswerBody, CreditsBody, KeyBody, ModelsBody } from '@searchgate/core';
import type { AnswerStatusBody, UsageBody } from '@searchgate/core/extensions';
import type { AnswerEvent } from './answer-events.js';
import type { AnswerRequest, CallOptions, ModelsRequest, UsageRequest } from './client-options.js';

/**
 * The endpoints of a gateway. Replies are the bodies of the wire, unchanged. Every method rejects with a SearchgateError, and with a TypeError where an option
 * is wrong.
 */
export interface Client {
  /** `POST /api/v1/answer` */
  answer(request: AnswerRequest): Promise<AnswerBody>;
  /**
   * The same answer while it is written: `start`, `citations` and `delta`s, then `done`, or `error` where it breaks off after `start`. An error before `start`
   * is thrown. The call is made when the first event is asked for, and only until then is it tried again. Leaving the loop early closes the connection; the
   * gateway finishes the answer, and charges it.
   */
  answerStream(request: AnswerRequest): AsyncGenerator<AnswerEvent, void, undefined>;
  /** `GET /api/v1/models` */
  models(request?: ModelsRequest): Promise<ModelsBody>;
  /** `GET /api/v1/credits`. USD of the whole organization. */
  credits(options?: CallOptions): Promise<CreditsBody>;
  /** `GET /api/v1/key`. USD of the API key. */
  key(options?: CallOptions): Promise<KeyBody>;
  /** `GET /api/v1/usage`, where the operator offers it. USD of the API key, by day, model or tag. */
  usage(request: UsageRequest): Promise<UsageBody>;
  /** `GET /api/v1/answers/{id}`, where the operator offers it: what became of an answer of the API key. */
  answerStatus(id: string, options?: CallOptions): Promise<AnswerStatusBody>;
}
