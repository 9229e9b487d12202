import { type AnswerFields, createAnswerFieldsCheck } from '../calls/answer-fields.js';
import { CATEGORIES, type Category } from '../catalog/model-entry.js';
import { RequestError } from '../errors/request-error.js';
import type { JsonObject } from './parse-json.js';
import { wireName } from './wire-name.js';

/**
 * Fields that mean something in similar APIs, or will here, and nothing yet. Ignored, they would let callers believe that they were followed: that an
 * answer was filtered or not cached.
 */
export const RESERVED_FIELDS = [
  'cache',
  'messages',
  'models',
  'provider',
  'instructions',
  'response_format',
  'metadata',
] as const;

/** Builds the check of a request's fields once. Unknown fields are ignored. @returns a function that throws RequestError `unsupported_field`, `invalid_field`. */
export function answerFieldsParser(maxQueryCharacters: number): (body: JsonObject) => AnswerFields {
  const check = createAnswerFieldsCheck(maxQueryCharacters, wireName);
  return (body) => {
    for (const field of RESERVED_FIELDS) {
      if (asksForSomething(own(body, field))) throw new RequestError('unsupported_field', { param: field });
    }
    return check({
      model: own(body, 'model'),
      query: own(body, 'query'),
      includeCitations: own(body, 'include_citations'),
      stream: own(body, 'stream'),
      search: own(body, 'search'),
      routing: own(body, 'routing'),
      tag: own(body, 'tag'),
    });
  };
}

/**
 * Reads the query string of `GET /models`; parameters other than `category` are ignored.
 *
 * @throws RequestError `invalid_parameter` for an unknown category or several.
 */
export function parseModelsQuery(query: string): Category | undefined {
  if (query === '') return undefined;
  const [wanted, ...others] = new URLSearchParams(query).getAll('category');
  if (wanted === undefined) return undefined;
  const category = CATEGORIES.find((known) => known === wanted);
  if (category === undefined || others.length > 0) {
    throw new RequestError('invalid_parameter', { param: 'category', details: { allowed: CATEGORIES } });
  }
  return category;
}

/** A field a caller really sent: never one that a polluted prototype lends to every object. */
export function own(body: JsonObject, field: string): unknown {
  return Object.hasOwn(body, field) ? body[field] : undefined;
}

/** `null` is no value. `false` is one: it says, for example, that nothing may be cached. */
function asksForSomething(value: unknown): boolean {
  return value !== undefined && value !== null;
}
