import { z } from 'zod';
import { type ErrorType, REASONS, type Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import type { ErrorEnvelope } from '../error-envelope.js';
import { describing } from './describing.js';
import { ERROR_METADATA, METADATA_EXAMPLES } from './error-metadata.js';
import { refTo } from './refs.js';

const REASON_WORDS = Object.keys(REASONS) as Reason[];
const TYPE_WORDS = [...new Set(Object.values(REASONS).map(({ type }) => type))] as ErrorType[];

/** What every error has. `code`, `type`, `reason`, `retryable` and `metadata` are narrower for each reason. */
const anyError = describing<Omit<ErrorEnvelope['error'], 'metadata'>>()(
  z.strictObject({
    code: z.number(),
    type: z.enum(TYPE_WORDS),
    reason: z.enum(REASON_WORDS),
    message: z.string().describe('One fixed text per reason, for people.'),
    param: z.string().nullable().describe('The field or query parameter at fault.'),
    retryable: z.boolean(),
    request_id: z.string().describe('Of this call, or of the one whose error is given again.'),
  }),
);

/** The `error` of a body for one reason. */
function errorSchema(reason: Reason): z.ZodType {
  const { status: code, type, message, retryable } = REASONS[reason];
  const metadata = (ERROR_METADATA as { readonly [R in Reason]?: z.ZodType })[reason] ?? z.null();
  const example = { code, type, reason, message, param: null, retryable, request_id: REQUEST_ID };
  return anyError
    .extend({
      code: z.literal(code).describe('The HTTP status.'),
      type: z.literal(type as string),
      reason: z.literal(reason as string).describe('What to branch on.'),
      retryable: z.literal(retryable).describe('Whether the same request may succeed later.'),
      metadata,
    })
    .meta({
      description: message,
      examples: [{ ...example, metadata: (METADATA_EXAMPLES as { readonly [R in Reason]?: unknown })[reason] ?? null }],
    });
}

const REQUEST_ID = 'req_01KAJ3W5V0N2Q8R6T4Y7Z9B1CD';

/** What each reason is called in the document, such as `KeyLimitReachedError`. */
function errorName(reason: Reason): string {
  const words = reason.split('_').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  return `${words.join('').replace(/Error$/, '')}Error`;
}

/** The `error` of each of the reasons, by its name in the document. */
export function errorSchemas(reasons: readonly Reason[]): Record<string, z.ZodType> {
  return Object.fromEntries(reasons.map((reason) => [errorName(reason), errorSchema(reason)]));
}

/** The body of an error with one of the reasons. */
export function errorBody(reasons: readonly Reason[]): JsonSchema {
  const refs = reasons.map((reason) => refTo('schemas', errorName(reason)));
  const error = refs.length === 1 ? refs[0] : { oneOf: refs };
  return { type: 'object', properties: { error }, required: ['error'], additionalProperties: false };
}
