import type { Clock } from '../base/time/clock.js';
import type { ExtractReply, SearchReply } from '../kinds/kinds.js';
import type { Answer } from '../request/answer-reply.js';
import type { Refusal } from './error-envelope.js';
import type { ErrorHeaders, PresentError } from './present-error.js';
import type { JsonObject } from './read-request-body.js';
import type { ModelBody } from './success-bodies.js';

export type { Answer, ErrorHeaders, JsonObject, ModelBody, PresentError, Refusal };

/**
 * A path that another package serves, such as `@searchgate/mcp`, behind the keys, money and limits of the gateway. It serves `POST` requests
 * with a JSON object as body. Each request is one call of the gateway: authenticated before its body is read, and reported by one `request_finished` event.
 */
export interface Extension {
  /** The name of its calls in events, in snake case. */
  readonly name: string;
  /** Below the mount point, such as `/api/v1/mcp`. */
  readonly path: string;
  /** The models that its calls name: checked when the gateway is built. @default none */
  readonly models?: readonly NamedModel[] | undefined;
  /** Makes the body of the gateway's own errors, such as a wrong key. @default the usual body */
  readonly presentError?: PresentError | undefined;
  /**
   * Returns its `post` operation for the OpenAPI document: an Operation Object of OpenAPI 3.1, without `security`.
   *
   * @default an operation that only declares JSON bodies
   */
  readonly describe?: (() => Readonly<Record<string, unknown>>) | undefined;
  /** Refuses a request by its headers, before the caller is authenticated. @throws RequestError @default none is refused */
  readonly checkHeaders?: ((header: ExtensionRequest['header']) => void) | undefined;
  /** @throws RequestError which the caller gets as an HTTP error. Any other exception becomes a 500 `internal_error`. */
  respond(request: ExtensionRequest, calls: ExtensionCalls): Promise<ExtensionResponse>;
}

/** A model that an option of an extension names. */
export interface NamedModel {
  /** The option, such as `search`, for errors. */
  readonly option: string;
  /** A slug, an alias or a group; absent for none. */
  readonly model?: string | undefined;
  /** Of the calls. */
  readonly category: keyof CallBodies;
  /** Features, such as `content`, that clients always ask for: a model without one of them is refused, also as a member of a group. @default none */
  readonly features?: readonly string[] | undefined;
}

/** A request to the path of an extension. */
export interface ExtensionRequest {
  /** The JSON that was sent. */
  readonly body: JsonObject;
  /** A header's value by lower-case name. */
  header(name: string): string | undefined;
  /** The clock of the gateway. */
  readonly clock: Clock;
}

/** Calls that an extension can make for the caller of its request. */
export interface ExtensionCalls {
  /**
   * Calls a model like `POST /api/v1/answer`, `/search` or `/extract`, once per request. Uses the request's `Idempotency-Key`. Rejects only with
   * an internal error: do not swallow it.
   *
   * @param fields of that endpoint, unchecked. `stream` is ignored.
   */
  call<C extends keyof CallBodies>(category: C, fields: JsonObject): Promise<CallResult<CallBodies[C]>>;
  /** Counts the request as refused: for a wrong message, which the extension answers itself. */
  readonly refused: () => void;
  /** The callable models of a category that the caller's key may use, in the form of `GET /api/v1/models`. */
  models(category: keyof CallBodies): readonly ModelBody[];
}

/** The bodies of calls, by the category of their models. */
export interface CallBodies {
  /** Of `POST /answer`. */
  readonly answer: Answer;
  /** Of `POST /search`. */
  readonly search: SearchReply;
  /** Of `POST /extract`. */
  readonly extract: ExtractReply;
}

/** The result of a call. The event of the call names the reason of a refusal, whatever the response is. */
export type CallResult<Body> =
  | {
      /** Of a success. */
      readonly body: Body;
      readonly refusal: null;
    }
  | {
      readonly body: null;
      /** Of an error. */
      readonly refusal: Refusal;
    };

/** The response of an extension. */
export interface ExtensionResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Lower-case names, in addition to the headers of every response. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `null` for no body; a function for server-sent events, whose status is 200. */
  readonly body: string | SendEvents | null;
}

/**
 * Sends server-sent events: it begins once the response has begun, and the response ends with it. Events that a caller does not read are
 * buffered up to a limit, then the caller is disconnected. Silence is filled with comments. An exception ends the response: send an event for it first.
 *
 * @param send takes whole events. Does nothing once the caller has gone away.
 */
export type SendEvents = (send: (events: string) => void) => Promise<void>;
