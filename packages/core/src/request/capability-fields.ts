import { z } from 'zod';
import { type CapabilityCall, capabilityCall } from '../answer/capability.js';
import { embedCapability, MAX_INPUTS } from '../answer/embed-capability.js';
import { extractCapability } from '../answer/extract-capability.js';
import { MAX_DOCUMENTS, rerankCapability } from '../answer/rerank-capability.js';
import { DEFAULT_MAX_RESULTS, MAX_RESULTS, searchCapability } from '../answer/search-capability.js';
import { RequestError } from '../base/errors/request-error.js';
import { hasMoreCharacters } from '../base/options/has-more-characters.js';
import { isStorable } from '../base/options/well-formed.js';
import { createSearchReader } from '../base/search-options/read-search-options.js';
import type { SearchOptions } from '../base/search-options/search-options.js';
import { createRoutingReader } from '../routing/read-routing-preferences.js';
import {
  type AnswerFields,
  answerFieldsSchema,
  invalidFields,
  issuesOf,
  modelField,
  mustBe,
  NOT_READABLE,
  queryField,
} from './answer-fields.js';
import { createNamesCheck, createPlaces } from './field-names.js';
import { publicAddress } from './public-address.js';

/** The fields of a call that is no question, checked. */
type CapabilityFields = Omit<AnswerFields, 'stream'>;

/** How the fields of a kind of call are read. */
export interface FieldsForm {
  /** What the transport calls a field. */
  readonly nameOf: (field: string) => string;
  readonly maxQueryCharacters: number;
  /** Of all texts of a rerank or of embeddings together. */
  readonly maxInputCharacters: number;
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
  const { tag } = answerFieldsSchema(maxQueryCharacters).shape;
  return z.object({
    model: modelField('search', 'exa/auto'),
    query: queryField(maxQueryCharacters).meta({
      description: `The query: one text of at most ${maxQueryCharacters} characters.`,
    }),
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

export function rerankFieldsSchema(maxQueryCharacters: number) {
  const { tag } = answerFieldsSchema(maxQueryCharacters).shape;
  return z.object({
    model: modelField('rerank', 'cohere/rerank-v4.0-pro'),
    query: queryField(maxQueryCharacters).meta({
      description: `What the documents are sorted by: at most ${maxQueryCharacters} characters.`,
    }),
    documents: z
      .unknown()
      .transform((given, context) => textsOf(given, context, { most: MAX_DOCUMENTS, read: documentText }))
      .meta({
        description: `The texts to sort: 1 to ${MAX_DOCUMENTS}, as strings or as objects with the string \`text\`.`,
        type: 'array',
        minItems: 1,
        maxItems: MAX_DOCUMENTS,
        items: { anyOf: [TEXT, { type: 'object', properties: { text: TEXT }, required: ['text'] }] },
      }),
    topN: z
      .int(mustBe('a whole number'))
      .min(1, 'must be at least 1')
      .nullish()
      .describe('How many documents come back. Default: all.'),
    tag,
  });
}

export function embedFieldsSchema() {
  const { tag } = answerFieldsSchema(1).shape;
  return z.object({
    model: modelField('embedding', 'openai/text-embedding-3-small'),
    input: z
      .unknown()
      .transform((given, context) =>
        textsOf(typeof given === 'string' ? [given] : given, context, { most: MAX_INPUTS, read: inputText }),
      )
      .meta({
        description: `A text, or 1 to ${MAX_INPUTS} texts.`,
        anyOf: [TEXT, { type: 'array', minItems: 1, maxItems: MAX_INPUTS, items: TEXT }],
      }),
    encodingFormat: z
      .enum(['float', 'base64'], mustBe('"float" or "base64"'))
      .nullish()
      .transform((format) => format ?? 'float')
      .describe('The form of a vector: numbers, or base64 of little-endian floats of 32 bits. Default: float.'),
    dimensions: z
      .int(mustBe('a whole number'))
      .min(1, 'must be at least 1')
      .nullish()
      .transform((length) => length ?? undefined)
      .describe('The length of a vector, where the model lets you choose. Default: that of the model.'),
    inputType: z
      .enum(['query', 'document', 'search_query', 'search_document'], mustBe('"query" or "document"'))
      .nullish()
      .transform((type) => (type == null ? undefined : type.endsWith('query') ? 'query' : 'document'))
      .describe('The role of the texts, for models that have the feature `input_type`. Others ignore it.'),
    tag,
  });
}

const TEXT = { type: 'string', minLength: 1 };
/** Most wrong texts that are named. */
const MAX_NAMED = 10;

interface TextList {
  readonly most: number;
  /** @returns the problem of a value that is no text. */
  readonly read: (value: unknown) => string | { readonly problem: string };
}

/** Checks a list of texts. */
function textsOf(given: unknown, context: z.RefinementCtx, { most, read }: TextList): readonly string[] {
  const isList = Array.isArray(given) && given.length > 0 && given.length <= most;
  if (!isList) context.addIssue(`${given == null ? 'is required:' : 'must be'} an array of 1 to ${most} texts`);
  const texts: string[] = [];
  for (const [at, value] of (isList ? (given as unknown[]) : []).entries()) {
    const text = read(value);
    if (typeof text === 'string') texts.push(text);
    else context.addIssue({ code: 'custom', path: [at], message: text.problem });
    if (at + 1 - texts.length === MAX_NAMED) break;
  }
  return texts;
}

function documentText(value: unknown): string | { readonly problem: string } {
  const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : value;
  return typeof text === 'string'
    ? readableText(text)
    : { problem: 'must be a string, or an object with the string "text"' };
}

function inputText(value: unknown): string | { readonly problem: string } {
  return typeof value === 'string' ? readableText(value) : { problem: 'must be a text' };
}

/** @throws RequestError that tells how to send texts, which clients show. */
function refuseTokens(given: unknown, path: string): void {
  const [first] = Array.isArray(given) ? (given as unknown[]) : [];
  if (typeof first !== 'number' && !Array.isArray(first)) return;
  const message = 'must be texts, not tokens: LangChain sends texts with check_embedding_ctx_length=False';
  throw new RequestError('invalid_field', {
    param: path,
    note: `${path} ${message}.`,
    details: { issues: [{ path, message }] },
  });
}

function readableText(text: string): string | { readonly problem: string } {
  if (text === '') return { problem: 'must not be empty' };
  return isStorable(text) ? text : { problem: NOT_READABLE };
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

/** The same for a rerank. */
export function rerankFieldsReader(form: FieldsForm): ReadFields {
  return fieldsReader(form, {
    schema: rerankFieldsSchema(form.maxQueryCharacters),
    hasSearch: false,
    places: RERANK_PLACES,
    ignored: ['returnDocuments'],
    callOf({ query, documents, topN }) {
      checkLength(documents, form);
      const input = { query, documents, topN: Math.min(topN ?? documents.length, documents.length) };
      return { query, capability: capabilityCall(rerankCapability, input) };
    },
  });
}

/** The same for embeddings. */
export function embedFieldsReader(form: FieldsForm): ReadFields {
  return fieldsReader(form, {
    schema: embedFieldsSchema(),
    hasSearch: false,
    places: EMBED_PLACES,
    check: (sent) => refuseTokens(sent('input'), form.nameOf('input')),
    callOf({ input: inputs, encodingFormat, dimensions, inputType }) {
      checkLength(inputs, form);
      const input = { inputs, encodingFormat, dimensions, inputType };
      return { query: '', capability: capabilityCall(embedCapability, input) };
    },
  });
}

/** @throws RequestError `request_too_large`. */
function checkLength(texts: readonly string[], { maxInputCharacters }: FieldsForm): void {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length > maxInputCharacters && hasMoreCharacters(texts.join(''), maxInputCharacters))
    throw new RequestError('request_too_large', { details: { maxInputCharacters } });
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

export const RERANK_PLACES: Places = [
  ...COMMON_PLACES,
  ...['top_k', 'top_results', 'k', 'limit', 'num_results', 'max_results'].map((name) => [name, 'topN'] as const),
  ...['texts', 'passages', 'docs', 'inputs'].map((name) => [name, 'documents'] as const),
  ...['search', 'rank_fields', 'max_chunks_per_doc', 'max_tokens_per_doc', 'priority', 'truncation', 'truncate'].map(
    (name) => [name, null] as const,
  ),
];

export const EMBED_PLACES: Places = [
  ...COMMON_PLACES,
  ...['inputs', 'texts', 'sentences', 'documents', 'content', 'contents', 'query', 'prompt'].map(
    (name) => [name, 'input'] as const,
  ),
  ...['output_dimension', 'output_dimensionality', 'dimension', 'truncate_dim'].map(
    (name) => [name, 'dimensions'] as const,
  ),
  ...['embedding_type', 'embedding_types', 'output_dtype', 'embedding_format'].map(
    (name) => [name, 'encodingFormat'] as const,
  ),
  ...['task', 'task_type', 'prompt_name'].map((name) => [name, 'inputType'] as const),
  ...['search', 'truncation', 'truncate', 'late_chunking', 'images'].map((name) => [name, null] as const),
];

interface Reading<Fields> {
  readonly schema: z.ZodType<Fields> & { readonly shape: object };
  /** Whether the call takes search options. */
  readonly hasSearch: boolean;
  readonly places: Places;
  /** Names that look like misspelled fields, and may have any value. Default: none. */
  readonly ignored?: readonly string[] | undefined;
  /** Refuses what needs other words than those of the schema. */
  check?(sent: (field: string) => unknown): void;
  callOf(fields: Fields): { readonly query: string; readonly capability: CapabilityCall };
}

function fieldsReader<Fields extends { model: string; tag: string | undefined }>(
  { nameOf, defaultModel, otherFields = [] }: FieldsForm,
  { schema, hasSearch, places, ignored = [], check, callOf }: Reading<Fields>,
): ReadFields {
  const own = Object.keys(schema.shape);
  const fields = [...own, ...(hasSearch ? ['search'] : []), 'routing'];
  const placeOf = createPlaces(nameOf, places);
  const names = [...fields.map(nameOf), ...ignored.map(nameOf), ...otherFields];
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
    check?.(sent);
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
