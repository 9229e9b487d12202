import type { Answer } from '../request/answer-reply.js';
import type { AnswerApi } from './answer-api.js';
import type { Refusal } from './error-envelope.js';
import type { JsonObject } from './parse-json.js';
import type { PresentError } from './present-error.js';
import type { ModelBody } from './success-bodies.js';

export type { Answer, JsonObject, ModelBody, PresentError, Refusal };

/**
 * A path that another package serves, such as `@searchgate/mcp`, behind the keys, money and limits of the gateway. It serves `POST` requests
 * with a JSON object as body. Each request is one call of the gateway: authenticated before its body is read, and reported by one `request_finished` event.
 */
export interface Extension {
  /** The name of its calls in events. */
  readonly name: Extract<AnswerApi['name'], 'mcp'>;
  /** Below the mount point, such as `/api/v1/mcp`. */
  readonly path: string;
  /** Makes the body of the gateway's own errors, such as a wrong key; `undefined` for the usual body. */
  readonly presentError?: PresentError | undefined;
  /**
   * Returns its `post` operation for the OpenAPI document: an Operation Object of OpenAPI 3.1, without `security`. `undefined` for an operation that
   * only declares JSON bodies.
   */
  readonly describe?: (() => Readonly<Record<string, unknown>>) | undefined;
  /** @throws RequestError which the caller gets as an HTTP error. Any other exception becomes a 500 `internal_error`. */
  respond(request: ExtensionRequest, calls: ExtensionCalls): Promise<ExtensionResponse>;
}

export interface ExtensionRequest {
  readonly body: JsonObject;
  /** A header's value by lower-case name. */
  header(name: string): string | undefined;
}

/** Calls that an extension can make for the caller of its request. */
export interface ExtensionCalls {
  /**
   * Answers a question like `POST /api/v1/answer`, once per request. Uses the request's `Idempotency-Key`. Rejects only with an internal
   * error: do not catch it.
   *
   * @param fields of that endpoint, unchecked. `stream` is ignored.
   */
  answer(fields: JsonObject): Promise<AskedAnswer>;
  /** The answer models that the caller's key may use, in the form of `GET /api/v1/models`. */
  answerModels(): readonly ModelBody[];
}

/** The result of a question. The call's event names the reason of a refusal, whatever the response is. */
export type AskedAnswer =
  | { readonly answer: Answer; readonly refusal: null }
  | { readonly answer: null; readonly refusal: Refusal };

export interface ExtensionResponse {
  readonly status: number;
  /** Lower-case names, in addition to the headers of every response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `null` for no body. */
  readonly body: string | null;
}
