import type { z } from 'zod';
import type { Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import { errorSchema } from '../error-envelope.js';
import { refTo } from './refs.js';

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
