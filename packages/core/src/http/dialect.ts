import type { Reason } from '../base/errors/reasons.js';
import type { JsonSchema } from '../base/options/read-request-options.js';
import type { Clock } from '../base/time/clock.js';
import type { WhenUnsupported } from '../kinds/answer/question-call.js';
import type { FormFields } from '../request/field-names.js';
import type { WholeFormat, WireFormat } from './answer-api.js';
import type { CallBodies } from './extension.js';
import type { ErrorPresentation } from './present-error.js';
import type { JsonObject } from './read-request-body.js';

/**
 * A path that takes calls in the form of another service: one more way to `POST /api/v1/answer`, `/search` or `/extract`, with the same keys, money, limits,
 * streams, caches and idempotency keys. The dialect translates; the gateway does the rest.
 */
export interface Dialect extends ErrorPresentation {
  /** The name of its calls in events, in snake case. */
  readonly name: string;
  /** Below the mount point, such as `/api/v1/chat/completions`. */
  readonly path: string;
  /** The kind of most of its calls: names that mean one of its fields are refused. @default `answer` */
  readonly kind?: keyof CallBodies | undefined;
  /** Every field that clients of this form may send, and the fields of the kind that the dialect takes. */
  readonly fields: DialectFields;
  /** Gives the dialect's name of a field of the kind, for errors: `query` may be `input`. */
  nameOf(field: string): string;
  /** What becomes of a question's fields at models without their features. @default they are refused */
  readonly whenUnsupported?: WhenUnsupported | undefined;
  /** A header in which clients send their key without `Bearer`, in lower case. @default the header `Authorization` alone */
  readonly keyHeader?: string | undefined;
  /** Whether the fields come in the query string, by `GET` or `POST`. @default `false`: they come in a JSON body, by `POST` */
  readonly isQuery?: boolean | undefined;
  /**
   * Translates a request whose names of fields are checked. Must not keep the body.
   *
   * @throws RequestError
   */
  read(body: JsonObject, clock: Pick<Clock, 'now'>): DialectQuestion | DialectCall;
  /** Describes the path for the OpenAPI document. */
  describe(question: DescribedQuestion): DialectDescription;
}

/**
 * What becomes of each field. `null` and values that ask for nothing are always taken. Of fields without a row, names that mean a field of a question and
 * misspelled names are refused; the rest is ignored and counted by the event `request_finished`.
 */
export type DialectFields = FormFields;

/** A question that was read. */
export interface DialectQuestion {
  /** The fields of `POST /api/v1/answer`, unchecked. Others are ignored. */
  readonly fields: JsonObject;
  /** Writes the answer. */
  readonly format: WireFormat;
}

/** A call that was read, of any kind, and answered whole. */
export interface DialectCall {
  /** The kind of the call. */
  readonly category: keyof CallBodies;
  /** The fields of its path, such as `POST /api/v1/search`, unchecked. */
  readonly fields: JsonObject;
  /** Writes the reply. */
  readonly format: WholeFormat;
}

/** What the OpenAPI document has of `POST /api/v1/answer`. */
export interface DescribedQuestion {
  /** The schemas of the fields. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** What a call may be refused for. */
  readonly reasons: readonly Reason[];
}

/** The path of a dialect in the OpenAPI document. Schemas are JSON Schemas, which may refer to `#/components/schemas/Citation` and to each other. */
export interface DialectDescription {
  /** Unique in the document. */
  readonly operationId: string;
  /** A few words. */
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** By their names in the document. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** The name of the schema of a request. */
  readonly request: string;
  /** The name of the schema of a whole answer. */
  readonly answer: string;
  /** The name of the schema of an event of a stream. @default no stream */
  readonly event?: string | undefined;
  /** The schema of the body of an error with one of these reasons. */
  errorBody(reasons: readonly Reason[]): JsonSchema;
  /** Header Objects of errors, by their names. @default none */
  readonly errorHeaders?: Readonly<Record<string, JsonSchema>> | undefined;
}
