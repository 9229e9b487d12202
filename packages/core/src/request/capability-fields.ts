import { z } from 'zod';
import { type CapabilityCall, capabilityCall } from '../answer/capability.js';
import { extractCapability } from '../answer/extract-capability.js';
import { DEFAULT_MAX_RESULTS, MAX_RESULTS, searchCapability } from '../answer/search-capability.js';
import { createSearchReader } from '../base/search-options/read-search-options.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import { createRoutingReader } from '../routing/read-routing-preferences.js';
import { type AnswerFields, answerFieldsSchema, invalidFields, issuesOf, modelField, mustBe } from './answer-fields.js';
import { createNamesCheck, createPlaces } from './field-names.js';
import { publicAddress } from './public-address.js';

/** The fields of a call that is no question, checked. */
type CapabilityFields = Omit<AnswerFields, 'stream'>;

/** How the fields of a kind of call are read. */
export interface FieldsForm {
  /** What the transport calls a field. */
  readonly nameOf: (field: string) => string;
  readonly maxQueryCharacters: number;
  /** The model of calls that name none; `undefined` where each call has to name its model. */
  readonly defaultModel?: string | undefined;
  /** Fields of the transport besides those of the call. */
  readonly otherFields?: readonly string[] | undefined;
}

export type ReadFields = (given: Readonly<Record<string, unknown>>) => CapabilityFields;

const MAX_URLS = 20;
const DEFAULT_CHARACTERS = 200_000;
/** Longest texts of all pages of a call together: a reply is written while other calls wait. */
const MAX_ALL_CHARACTERS = MAX_URLS * DEFAULT_CHARACTERS;

export function searchFieldsSchema(maxQueryCharacters: number) {
  const { query, tag } = answerFieldsSchema(maxQueryCharacters).shape;
  return z.object({
    model: modelField('search', 'exa/auto'),
    query: query.meta({ description: `The query: one text of at most ${maxQueryCharacters} characters.` }),
    maxResults: z
      .int(mustBe(`a whole number from 1 to ${MAX_RESULTS}`))
      .min(1, 'must be at least 1')
      .max(MAX_RESULTS, `must be at most ${MAX_RESULTS}`)
      .nullish()
      .transform((count) => count ?? DEFAULT_MAX_RESULTS)
      .describe(`The most results that are wanted. Default: ${DEFAULT_MAX_RESULTS}.`),
    includeContent: z
      .boolean(mustBe('true or false'))
      .nullish()
      .transform((wanted) => wanted === true)
      .describe('Whether the text of each page is wanted. Default: false.'),
    tag,
  });
}

/** The fields of an extract, each by itself: how much text there is together, the reader checks. */
export function extractFieldsSchema(maxQueryCharacters: number) {
  const { tag } = answerFieldsSchema(maxQueryCharacters).shape;
  return z.object({
    model: modelField('extract', 'exa/contents'),
    urls: z
      .array(z.unknown(), mustBe(`an array of 1 to ${MAX_URLS} http(s) addresses`))
      // No bounds of zod's, which would also name the length of a text.
      .refine((urls) => urls.length > 0, 'must not be empty')
      .refine((urls) => urls.length <= MAX_URLS, `must have at most ${MAX_URLS} addresses`)
      .transform((urls, context) => {
        const addresses = urls.map(publicAddress);
        for (const [at, address] of addresses.entries())
          if ('problem' in address) context.addIssue({ code: 'custom', path: [at], message: address.problem });
        return [...new Set(addresses.map((address) => ('url' in address ? address.url : '')))];
      })
      .meta({
        description: `The pages to read: 1 to ${MAX_URLS} public http(s) addresses without credentials.`,
        minItems: 1,
        maxItems: MAX_URLS,
        items: { type: 'string', format: 'uri', maxLength: 2_048 },
      }),
    format: z
      .enum(['markdown', 'text'], mustBe('"markdown" or "text"'))
      .nullish()
      .transform((format) => format ?? 'markdown')
      .describe('The form of the text. Default: markdown.'),
    maxCharacters: z
      .int(mustBe('a whole number from 1,000 to 1,000,000'))
      .min(1_000, 'must be at least 1,000')
      .max(1_000_000, 'must be at most 1,000,000')
      .nullish()
      .transform((count) => count ?? DEFAULT_CHARACTERS)
      .describe(`The longest text of a page. Default: ${DEFAULT_CHARACTERS}.`),
    tag,
  });
}

/** Builds the check of a search's fields once. @returns a function that throws RequestError `unsupported_field`, `invalid_field`. */
export function searchFieldsReader(form: FieldsForm): ReadFields {
  return fieldsReader(form, {
    schema: searchFieldsSchema(form.maxQueryCharacters),
    hasSearch: true,
    places: SEARCH_PLACES,
    callOf: ({ query, maxResults, includeContent }) => ({
      query,
      capability: capabilityCall(searchCapability, { query, maxResults, includeContent }),
    }),
  });
}

/** The same for an extract. */
export function extractFieldsReader(form: FieldsForm): ReadFields {
  return fieldsReader(form, {
    schema: extractFieldsSchema(form.maxQueryCharacters),
    hasSearch: false,
    places: EXTRACT_PLACES,
    callOf({ urls, format, maxCharacters }) {
      const most = Math.floor(MAX_ALL_CHARACTERS / urls.length);
      if (maxCharacters > most) {
        const message = `must be at most ${most} for ${urls.length} addresses`;
        throw invalidFields([{ path: form.nameOf('maxCharacters'), message }]);
      }
      return { query: '', capability: capabilityCall(extractCapability, { urls, format, maxCharacters }) };
    },
  });
}

type Places = readonly (readonly [name: string, place: string | null])[];

const COMMON_PLACES: Places = ['stream', 'include_citations', 'citations'].map((name) => [name, null] as const);

/** Names of other services, with the field that does the same; `null` for none. */
export const SEARCH_PLACES: Places = [
  ...COMMON_PLACES,
  ...['num_results', 'num', 'count', 'limit', 'top_k', 'size', 'max_num_results'].map(
    (name) => [name, 'maxResults'] as const,
  ),
  ...['content', 'contents', 'include_text', 'include_raw_content', 'raw_content', 'text'].map(
    (name) => [name, 'includeContent'] as const,
  ),
  ...['q', 'search_query', 'search_queries', 'queries'].map((name) => [name, 'query'] as const),
  ['urls', null],
];

export const EXTRACT_PLACES: Places = [
  ...COMMON_PLACES,
  ...['url', 'ids', 'links', 'url_list'].map((name) => [name, 'urls'] as const),
  ...['output_format', 'formats', 'extract_format', 'response_format'].map((name) => [name, 'format'] as const),
  ...['max_length', 'max_chars', 'max_tokens'].map((name) => [name, 'maxCharacters'] as const),
  ...['search', 'query', 'render_js', 'max_age_seconds', 'max_age', 'include_images', 'extract_depth'].map(
    (name) => [name, null] as const,
  ),
];

interface Reading<Fields> {
  readonly schema: z.ZodType<Fields> & { readonly shape: object };
  /** Whether the call takes search options. */
  readonly hasSearch: boolean;
  readonly places: Places;
  callOf(fields: Fields): { readonly query: string; readonly capability: CapabilityCall };
}

function fieldsReader<Fields extends { model: string; tag: string | undefined }>(
  { nameOf, defaultModel, otherFields = [] }: FieldsForm,
  { schema, hasSearch, places, callOf }: Reading<Fields>,
): ReadFields {
  const own = Object.keys(schema.shape);
  const fields = [...own, ...(hasSearch ? ['search'] : []), 'routing'];
  const placeOf = createPlaces(nameOf, places);
  const names = [...fields.map(nameOf), ...otherFields];
  // `"stream": false` asks for no more than such calls are.
  const checkNames = createNamesCheck({ fields: names, nameOf, placeOf, asks: ({ value }) => value !== false });
  const readSearch = createSearchReader(nameOf, placeOf);
  const readRouting = createRoutingReader(nameOf, placeOf);
  // Made and compiled for the first request, so that building a gateway takes no longer for it.
  let compiled: z.ZodType<Fields> | undefined;

  return (given) => {
    checkNames(given);
    compiled ??= z.compile(schema);
    const sent = (field: string) => (Object.hasOwn(given, nameOf(field)) ? given[nameOf(field)] : undefined);
    const model = sent('model') ?? defaultModel;
    const result = compiled.safeParse({ ...Object.fromEntries(own.map((field) => [field, sent(field)])), model });
    const search: { value: SearchOptions | undefined; issues: readonly { path: string; message: string }[] } = hasSearch
      ? readSearch(sent('search'))
      : { value: undefined, issues: [] };
    const routing = readRouting(sent('routing'));
    if (!result.success || search.issues.length > 0 || routing.issues.length > 0) {
      const ofFields = result.success ? [] : issuesOf(result.error, nameOf);
      throw invalidFields([...ofFields, ...search.issues, ...routing.issues]);
    }
    const { tag } = result.data;
    const { query, capability } = callOf(result.data);
    const asked = { model: result.data.model, query, includeCitations: false, tag, capability };
    return { ...asked, search: search.value, routing: routing.value };
  };
}
