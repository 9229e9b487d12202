import { REASONS, type Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import { errorBody } from './error-schemas.js';
import { COMMON_HEADERS, headersOf, type ResponseHeader } from './headers.js';

/** What any call can meet, whatever it asks for. */
const ANY_CALL: readonly Reason[] = ['method_not_allowed', 'internal_error', 'shutting_down'];

/** What a call can meet while it is found out who makes it. */
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

/** Not of this endpoint, or never sent. */
const NOT_OF_ANSWER: readonly Reason[] = ['invalid_parameter', 'answer_not_found', 'client_closed_request'];

/** Of a query string. */
const PARAMETERS: readonly Reason[] = ['invalid_parameter', 'invalid_field', 'unsupported_field'];

/** What each operation can be refused with. */
export const OPERATION_REASONS = {
  answer: (Object.keys(REASONS) as Reason[]).filter((reason) => !NOT_OF_ANSWER.includes(reason)),
  models: [...WITH_KEY, ...PARAMETERS],
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

/** The responses for these reasons, by status. @param more headers that each of them may have. @param bodyOf makes the schema of a body. */
export function errorResponses(
  reasons: readonly Reason[],
  more: readonly ResponseHeader[] = [],
  bodyOf: (reasons: readonly Reason[]) => JsonSchema = errorBody,
): Record<string, JsonSchema> {
  const statuses = [...new Set(reasons.map((reason) => REASONS[reason].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = reasons.filter((reason) => REASONS[reason].status === status);
      const headers = [...(HEADERS_OF_STATUS[status] ?? []), ...more];
      return [String(status), { ...errorResponse(ofStatus, headers), ...jsonContent(bodyOf(ofStatus)) }];
    }),
  );
}

function errorResponse(reasons: readonly Reason[], more: readonly ResponseHeader[]): JsonSchema {
  const retry: readonly ResponseHeader[] = reasons.some((reason) => REASONS[reason].retryable) ? ['Retry-After'] : [];
  return {
    description: reasons.map((reason) => `\`${reason}\`: ${REASONS[reason].message}`).join('\n\n'),
    headers: headersOf([...COMMON_HEADERS, ...retry, ...more]),
  };
}

function jsonContent(schema: JsonSchema): JsonSchema {
  return { content: { 'application/json': { schema } } };
}
