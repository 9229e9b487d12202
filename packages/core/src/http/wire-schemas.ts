import { z } from 'zod';
import { CATEGORIES, type Category } from '../catalog/model-entry.js';
import { RequestError } from '../errors/request-error.js';
import type { JsonObject } from './parse-json.js';

/** The fields of `POST /answer`, checked. */
export interface AnswerFields {
  readonly model: string;
  /** As it was sent; only its length is judged after trimming. */
  readonly query: string;
  readonly includeCitations: boolean;
}

const MAX_MODEL_CHARACTERS = 256;

/**
 * Fields that mean something in similar APIs, or will here, and nothing yet. Ignored, they would let callers believe that they were followed: that an
 * answer was filtered, tagged or not cached.
 */
const RESERVED_FIELDS = [
  'stream',
  'search',
  'routing',
  'cache',
  'tag',
  'messages',
  'models',
  'provider',
  'instructions',
  'response_format',
  'metadata',
] as const;

/** Builds the check of a request's fields once. Unknown fields are ignored; types are taken strictly, nothing is coerced. */
export function answerFieldsParser(maxQueryCharacters: number): (body: JsonObject) => AnswerFields {
  const schema = z.object({
    model: z
      .string(mustBe('a string such as "exa/answer"'))
      .min(1, 'must not be empty')
      .max(MAX_MODEL_CHARACTERS, `must have at most ${MAX_MODEL_CHARACTERS} characters`),
    query: z.string(mustBe('a string')).superRefine((query, context) => {
      const { length } = query.trim();
      if (length === 0) context.addIssue('must not be empty');
      if (length > maxQueryCharacters) context.addIssue(`must have at most ${maxQueryCharacters} characters`);
    }),
    include_citations: z.boolean(mustBe('true or false')).default(true),
  });
  // Compiled for the first request, so that building a gateway takes no longer for it.
  let compiled: typeof schema | undefined;

  return (body) => {
    for (const field of RESERVED_FIELDS) {
      if (asksForSomething(field, own(body, field))) throw new RequestError('unsupported_field', { param: field });
    }
    compiled ??= z.compile(schema);
    const result = compiled.safeParse({
      model: own(body, 'model'),
      query: own(body, 'query'),
      include_citations: own(body, 'include_citations'),
    });
    if (!result.success) throw invalidFields(result.error);
    const { model, query, include_citations: includeCitations } = result.data;
    return { model, query, includeCitations };
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
function own(body: JsonObject, field: string): unknown {
  return Object.hasOwn(body, field) ? body[field] : undefined;
}

/** `null` is no value. `false` is one: it says that an answer is wanted whole, which it is, but also, say, that nothing may be searched. */
function asksForSomething(field: (typeof RESERVED_FIELDS)[number], value: unknown): boolean {
  return value !== undefined && value !== null && !(field === 'stream' && value === false);
}

function mustBe(expected: string) {
  return {
    error: ({ input }: { input?: unknown }) =>
      input === undefined ? `is required: ${expected}` : `must be ${expected}`,
  };
}

function invalidFields({ issues }: z.ZodError): RequestError {
  const found = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  return new RequestError('invalid_field', { param: found[0]?.path ?? '', details: { issues: found } });
}
