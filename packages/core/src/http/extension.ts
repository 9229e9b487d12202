import type { Answer } from '../request/answer-reply.js';
import type { AnswerApi } from './answer-api.js';
import type { Refusal } from './error-envelope.js';
import type { JsonObject } from './parse-json.js';
import type { PresentError } from './present-error.js';
import type { ModelBody } from './success-bodies.js';

export type { Answer, JsonObject, ModelBody, PresentError, Refusal };

/**
 * A path that a package of its own serves, such as `@searchgate/mcp`, behind the keys, money and limits of the gateway. Its requests are `POST`s
 * with a JSON object as body. Each is one call of the gateway: it is authenticated before the body is read, and ends in one `request_finished` event.
 */
export interface Extension {
  /** Names its calls in events. */
  readonly name: Extract<AnswerApi['name'], 'mcp'>;
  /** Below the mount point, such as `/api/v1/mcp`. */
  readonly path: string;
  /** The body of what the gateway itself refuses, such as a wrong key; `undefined` for the usual one. */
  readonly presentError?: PresentError | undefined;
  /**
   * Its `post` operation in the OpenAPI document: an Operation Object of OpenAPI 3.1, without `security`. `undefined` for one that says no more
   * than that JSON comes in and goes out.
   */
  readonly describe?: (() => Readonly<Record<string, unknown>>) | undefined;
  /** @throws RequestError what the caller gets as an HTTP error. Anything else is a 500 `internal_error`. */
  respond(request: ExtensionRequest, calls: ExtensionCalls): Promise<ExtensionResponse>;
}

export interface ExtensionRequest {
  readonly body: JsonObject;
  /** A header's value by lower-case name. */
  header(name: string): string | undefined;
}

/** What an extension can do for the caller of its request. */
export interface ExtensionCalls {
  /**
   * Answers a question, once per request, as `POST /api/v1/answer` does. An `Idempotency-Key` of the request holds. Rejects only where something
   * fails that no caller may see: let it through.
   *
   * @param fields of that endpoint, unchecked. `stream` is not read.
   */
  answer(fields: JsonObject): Promise<AskedAnswer>;
  /** The answer models that the caller's key may ask, as `GET /api/v1/models` shows them. */
  answerModels(): readonly ModelBody[];
}

/** What came of a question. The event of the call names the reason of a refusal, whatever the response is. */
export type AskedAnswer =
  | { readonly answer: Answer; readonly refusal: null }
  | { readonly answer: null; readonly refusal: Refusal };

export interface ExtensionResponse {
  readonly status: number;
  /** Lower-case names, in addition to those that every response has. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `null` for none. */
  readonly body: string | null;
}
