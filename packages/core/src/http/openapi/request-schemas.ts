import type { z } from 'zod';
import type { JsonSchema, OptionReader } from '../../base/options/read-request-options.js';
import { EXCLUSIVE_OPTIONS, SEARCH_READERS } from '../../base/search-options/read-search-options.js';
import type { ListedKind } from '../../kinds/kind.js';
import { answerFieldsSchema } from '../../request/answer-fields.js';
import { HARMLESS, REFUSED_FIELDS } from '../../request/refused-fields.js';
import { ROUTING_READERS } from '../../routing/read-routing-preferences.js';
import { wireName } from '../wire-name.js';
import { inputSchema } from './json-schemas.js';

/** The field `search` of requests. */
const search = {
  ...optionsSchema(SEARCH_READERS),
  dependentSchemas: Object.fromEntries(
    EXCLUSIVE_OPTIONS.map(([one, other]) => [wireName(other), { properties: { [wireName(one)]: false } }]),
  ),
  description: 'What the search is narrowed down to. A model that cannot honor all of it is refused.',
};
/** The field `routing` of requests. */
const routing = {
  ...optionsSchema(ROUTING_READERS),
  description: 'Which models may answer, in which order, and at what price at the most.',
};
const { fallbacks: _fallbacks, ...ROUTING_OF_ONE } = ROUTING_READERS;
/** The field `routing` of embeddings: no other model steps in. */
const routingOfOne = { ...optionsSchema(ROUTING_OF_ONE), description: 'At what price at the most.' };

/**
 * The body of a kind of calls. Unknown fields are ignored, apart from names of other services for fields of ours.
 *
 * @param hasDefault whether the model may be left out.
 */
export function kindRequestSchema(
  { request, hasFallbacks }: ListedKind,
  { maxQueryCharacters, hasDefault }: { readonly maxQueryCharacters: number; readonly hasDefault: boolean },
): JsonSchema {
  const { fields, hasSearch, places, translated } = request;
  const options = { ...(hasSearch && { search }), routing: hasFallbacks ? routing : routingOfOne };
  return refusing(kindSchema(fields(maxQueryCharacters), options, hasDefault), places, translated);
}

interface FieldsSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

function kindSchema(fields: z.ZodType, options: JsonSchema, hasDefault: boolean): FieldsSchema {
  const { properties = {}, required = [] } = inputSchema(fields);
  const named = Object.entries(properties).map(([field, schema]) => [wireName(field), schema] as const);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(named as [string, JsonSchema][]), ...(options as Record<string, JsonSchema>) },
    required: required.map(wireName).filter((field) => field !== 'model' || !hasDefault),
  };
}

/** Refuses names of other services. @param more of this path alone. @param taken names that the path understands. */
function refusing(fields: FieldsSchema, more: Iterable<readonly [string, unknown]>, taken: readonly string[] = []) {
  const names = new Set([...ALWAYS_REFUSED, ...Array.from(more, ([name]) => name)]);
  for (const name of [...Object.keys(fields.properties), ...taken, ...HARMLESS.keys()]) names.delete(name);
  const [first = ''] = Object.keys(fields.properties).slice(1);
  return { ...fields, dependentSchemas: { [first]: { patternProperties: refusedPatterns([...names], UNASKED) } } };
}

/** The body of `POST /answer`. Unknown fields are ignored, so the schema is open; `search` and `routing` are closed. */
export function answerRequestSchema(maxQueryCharacters: number): FieldsSchema {
  const { properties = {} } = inputSchema(answerFieldsSchema(maxQueryCharacters));
  const named = Object.entries(properties).map(([field, schema]) => [wireName(field), schema] as const);
  // Client generators treat a field with a default as required.
  const { default: _default, ...include_citations } = properties['includeCitations'] as JsonSchema;
  return {
    type: 'object',
    description:
      'A question. Filters, limits, instructions and costs of other services are refused, as are slips of the names below. Other fields that are not known are ignored.',
    properties: { ...Object.fromEntries<unknown>(named), include_citations, search, routing },
    // In a place that client generators ignore.
    dependentSchemas: {
      model: {
        patternProperties: refusedPatterns(ALWAYS_REFUSED, { type: 'null' }, Object.keys(properties).map(wireName)),
        oneOf: [
          { required: ['query'], properties: { messages: { type: 'null' } } },
          { required: ['messages'], properties: { query: false, messages: { type: 'array' } } },
        ],
      },
    },
    required: ['model'],
    examples: [{ model: 'exa/answer', query: 'When did the Zephyr Bridge open?' }],
  };
}

const OPTIONS = [...Object.keys(SEARCH_READERS), ...Object.keys(ROUTING_READERS)].map(wireName);
/** The values of a refused name that ask for nothing, where the call is no question: `"stream": false` says no more than such calls are. */
const UNASKED = { enum: [null, false] };
const NO_FIELD = 'No field: leave it out.';
const ALWAYS_REFUSED = [...OPTIONS, ...REFUSED_FIELDS.keys()].filter((name) => !HARMLESS.has(name));
/** As patterns in a place that client generators ignore: otherwise they would generate fields for these names. @param own names of the path's own fields. */
function refusedPatterns(names: readonly string[], unasked: JsonSchema, own: readonly string[] = []): JsonSchema {
  const foreign = [...HARMLESS].filter(([name]) => !own.includes(name));
  return Object.fromEntries<JsonSchema>([
    [`^(?:${names.filter((name) => !own.includes(name)).join('|')})$`, { ...unasked, description: NO_FIELD }],
    ...foreign.map(([name, values]) => [`^${name}$`, { enum: [null, ...values], description: NO_FIELD }] as const),
  ]);
}

/** The known options with their types; `null` is the same as no options. */
function optionsSchema(readers: Readonly<Record<string, OptionReader>>): JsonSchema {
  const properties = Object.entries(readers).map(([option, { schema }]) => [wireName(option), schema]);
  return { type: ['object', 'null'], properties: Object.fromEntries(properties), additionalProperties: false };
}
