import type { z } from 'zod';
import { REASONS, type Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import { errorSchema } from '../error-envelope.js';
import COMPONENTS from './components.json' with { type: 'json' };
import { closedObject, refTo } from './json-schemas.js';

export type ResponseHeader = keyof typeof COMPONENTS.headers;

/** The headers of every response. */
export const COMMON_HEADERS = ['X-Request-Id', 'X-Content-Type-Options', 'Cache-Control'] as const;

/** The headers of a response. */
export function headersOf(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

const ALL = Object.keys(REASONS) as Reason[];

/** Reasons that any call may be refused for. */
const ANY_CALL: readonly Reason[] = ['method_not_allowed', 'internal_error', 'shutting_down'];

/** Reasons of any call and of authentication. */
const WITH_KEY: readonly Reason[] = [
  ...ANY_CALL,
  ...ALL.filter((reason) => REASONS[reason].type === 'authentication_error'),
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
  'key_not_allowed_in_path',
];

/** Reasons of a wrong query string. */
const PARAMETERS: readonly Reason[] = ['invalid_parameter', 'invalid_field', 'unsupported_field'];

const OF_ANSWER = ALL.filter((reason) => !NOT_OF_ANSWER.includes(reason));

/** The reasons that each operation may be refused for. */
export const OPERATION_REASONS = {
  answer: OF_ANSWER,
  /** Of every kind of calls but answers. */
  kind: OF_ANSWER.filter((reason) => reason !== 'no_answer_found'),
  models: [...WITH_KEY, ...PARAMETERS],
  model: [...WITH_KEY, 'unsupported_field', 'model_not_found'],
  account: [...WITH_KEY, 'unsupported_field'],
  document: WITH_KEY,
  usage: [...WITH_KEY, ...PARAMETERS],
  answers: [...WITH_KEY, 'unsupported_field', 'answer_not_found'],
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
