import type { z } from 'zod';
import { REASONS, type Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import { errorSchema } from '../error-envelope.js';
import { closedObject, refTo } from './json-schemas.js';

interface HeaderDescription {
  readonly description: string;
  /** Set if every response that lists the header has it. */
  readonly required?: true;
  readonly schema: JsonSchema;
  readonly example?: string;
}

const always = (description: string, schema: JsonSchema): HeaderDescription => ({
  description,
  required: true,
  schema: { type: 'string', ...schema },
});
const sometimes = (description: string, pattern: string, example: string): HeaderDescription => ({
  description,
  schema: { type: 'string', pattern },
  example,
});

/** Every response header of the gateway, by its name in the document. */
export const RESPONSE_HEADERS = {
  'X-Request-Id': always('Names this call. Quote it when asking the operator.', { pattern: '^req_' }),
  'X-Content-Type-Options': always('Always `nosniff`.', { const: 'nosniff' }),
  'Cache-Control': always('Whether the response may be kept.', {
    enum: ['no-store', 'no-store, no-transform', 'private, max-age=60'],
  }),
  ETag: always('Send it back in `If-None-Match` to get 304 while nothing has changed.', { pattern: '^".+"$' }),
  'Server-Timing': always('Milliseconds spent in the gateway and at providers.', {
    pattern: String.raw`^gateway;dur=\d+\.\d, upstream;dur=\d+\.\d$`,
  }),
  Allow: always('The methods that work.', {}),
  'X-Accel-Buffering': sometimes('Of a stream: no proxy may hold events back.', '^no$', 'no'),
  'Retry-After': sometimes('Seconds to wait before another try, where they are known.', String.raw`^\d+$`, '1'),
  RateLimit: sometimes(
    'How many requests are left, and in how many seconds there are more: draft-ietf-httpapi-ratelimit-headers-10.',
    String.raw`^"\w+";r=\d+;t=\d+(?:, "\w+";r=\d+;t=\d+)?$`,
    '"key";r=59;t=1',
  ),
  'RateLimit-Policy': sometimes(
    'The rates that hold for the caller: draft-ietf-httpapi-ratelimit-headers-10.',
    String.raw`^"\w+";q=\d+;w=\d+(?:, "\w+";q=\d+;w=\d+)?$`,
    '"key";q=60;w=60',
  ),
  'Idempotent-Replayed': sometimes('Set where the outcome of an earlier call is given again.', '^true$', 'true'),
  Location: sometimes('Where the answer can be looked up, relative to the path asked.', '^answers/', 'answers/async_1'),
  'Preference-Applied': sometimes('The preference that was granted: RFC 7240.', '^respond-async$', 'respond-async'),
  'Cache-Status': sometimes(
    'What the cache of the gateway did: RFC 9211.',
    '^searchgate; ',
    'searchgate; hit; ttl=348',
  ),
  Age: sometimes('Seconds since a kept answer was made.', String.raw`^\d+$`, '252'),
  'WWW-Authenticate': sometimes('What the caller has to send.', '.', 'Bearer realm="searchgate"'),
  Accept: sometimes('The type of body that is taken.', '^application/json$', 'application/json'),
  Connection: sometimes('The connection is closed.', '^close$', 'close'),
} satisfies Readonly<Record<string, HeaderDescription>>;

export type ResponseHeader = keyof typeof RESPONSE_HEADERS;

/** The headers of every response. */
export const COMMON_HEADERS = ['X-Request-Id', 'X-Content-Type-Options', 'Cache-Control'] as const;

/** The headers of a response. */
export function headersOf(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

/** Reasons that any call may be refused for. */
const ANY_CALL: readonly Reason[] = ['method_not_allowed', 'internal_error', 'shutting_down'];

/** Reasons of any call and of authentication. */
const WITH_KEY: readonly Reason[] = [
  ...ANY_CALL,
  'missing_api_key',
  'malformed_authorization',
  'invalid_api_key',
  'revoked_api_key',
  'expired_api_key',
  'not_authenticated',
  'auth_rate_limited',
  'organization_suspended',
  'overloaded',
  'ledger_unavailable',
  'hook_failed',
];

/** Reasons of other endpoints and of extensions, or never sent. */
const NOT_OF_ANSWER: readonly Reason[] = [
  'invalid_parameter',
  'answer_not_found',
  'answer_lost',
  'answer_too_large',
  'client_closed_request',
  'no_page_extracted',
  'origin_not_allowed',
];

/** Reasons of a wrong query string. */
const PARAMETERS: readonly Reason[] = ['invalid_parameter', 'invalid_field', 'unsupported_field'];

const OF_ANSWER = (Object.keys(REASONS) as Reason[]).filter((reason) => !NOT_OF_ANSWER.includes(reason));

/** The reasons that each operation may be refused for. */
export const OPERATION_REASONS = {
  answer: OF_ANSWER,
  /** Of every kind of calls but answers. */
  kind: OF_ANSWER.filter((reason) => reason !== 'no_answer_found'),
  models: [...WITH_KEY, ...PARAMETERS],
  model: [...WITH_KEY, 'model_not_found'],
  account: [...WITH_KEY, 'unsupported_field'],
  document: WITH_KEY,
  usage: [...WITH_KEY, ...PARAMETERS],
  answers: [...WITH_KEY, 'answer_not_found'],
  public: ANY_CALL,
} satisfies Readonly<Record<string, readonly Reason[]>>;

/** The headers that only some statuses have. */
const HEADERS_OF_STATUS: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  408: ['Connection'],
  413: ['Connection'],
  415: ['Accept'],
};

/** The responses for these reasons, by status. @param more headers that every response may have. @param bodyOf makes the schema of a body. */
export function errorResponses(
  reasons: readonly Reason[],
  more: readonly string[] = [],
  bodyOf: (reasons: readonly Reason[]) => JsonSchema = errorBody,
): Record<string, JsonSchema> {
  const statuses = [...new Set(reasons.map((reason) => REASONS[reason].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = reasons.filter((reason) => REASONS[reason].status === status);
      const retry: readonly ResponseHeader[] = ofStatus.some((reason) => REASONS[reason].retryable)
        ? ['Retry-After']
        : [];
      const response = {
        description: ofStatus.map((reason) => `\`${reason}\`: ${REASONS[reason].message}`).join('\n\n'),
        headers: headersOf([...COMMON_HEADERS, ...retry, ...(HEADERS_OF_STATUS[status] ?? []), ...more]),
        content: { 'application/json': { schema: bodyOf(ofStatus) } },
      };
      return [String(status), response];
    }),
  );
}

/** The name of a reason's schema in the document, such as `KeyLimitReachedError`. */
function errorName(reason: Reason): string {
  const words = reason.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join('').replace(/Error$/, '')}Error`;
}

/** The schema of `error` for each reason, by its name in the document. */
export function errorSchemas(reasons: readonly Reason[]): Record<string, z.ZodType> {
  return Object.fromEntries(reasons.map((reason) => [errorName(reason), errorSchema(reason)]));
}

/** The body of an error with one of the reasons. */
export function errorBody(reasons: readonly Reason[]): JsonSchema {
  const refs = reasons.map((reason) => refTo('schemas', errorName(reason)));
  const error = refs.length === 1 ? refs[0] : { oneOf: refs };
  return closedObject({ error });
}
