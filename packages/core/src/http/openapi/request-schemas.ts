import type { JsonSchema, OptionReader } from '../../base/options/read-request-options.js';
import { EXCLUSIVE_OPTIONS, SEARCH_READERS } from '../../base/search-options/read-search-options.js';
import answerNames from '../../kinds/foreign-names/answer.json' with { type: 'json' };
import type { ForeignNames, ListedKind } from '../../kinds/kind.js';
import { answerFieldsSchema } from '../../request/answer-fields.js';
import { ignoredNames, kindNames } from '../../request/field-names.js';
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
const { fallbacks: _fallbacks, fallbackOn: _fallbackOn, ...ROUTING_OF_ONE } = ROUTING_READERS;
/** The field `routing` of embeddings: no other model steps in. */
const routingOfOne = { ...optionsSchema(ROUTING_OF_ONE), description: 'At what price at the most.' };

/**
 * The body of a kind of calls.
 *
 * @param hasDefault whether the model may be left out.
 */
export function kindRequestSchema(
  { request, hasFallbacks }: ListedKind,
  { maxQueryCharacters, hasDefault }: { readonly maxQueryCharacters: number; readonly hasDefault: boolean },
): JsonSchema {
  const { fields, hasSearch, foreignNames, translated } = request;
  const options = { ...(hasSearch && { search }), routing: hasFallbacks ? routing : routingOfOne };
  const { properties = {}, required = [] } = inputSchema(fields(maxQueryCharacters));
  // A default model takes the place of `null` too.
  const model = { ...(properties['model'] as JsonSchema), ...(hasDefault && { type: ['string', 'null'] }) };
  const all = { ...properties, model, ...options };
  const [, first = ''] = Object.keys(properties);
  return {
    type: 'object',
    properties: onTheWire(all),
    required: required.map(wireName).filter((field) => field !== 'model' || !hasDefault),
    dependentSchemas: { [wireName(first)]: closed(Object.keys(all), foreignNames, translated) },
  };
}

function onTheWire(properties: JsonSchema): FieldsSchema['properties'] {
  return Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => [wireName(field), schema as JsonSchema]),
  );
}

/**
 * Refuses unknown fields with a value. Belongs in a place that client generators ignore: otherwise they would generate fields for names without effect.
 *
 * @param taken names of another service that the path understands.
 */
function closed(fields: readonly string[], foreign: ForeignNames, taken: readonly string[] = []): JsonSchema {
  const { replacementOf } = kindNames(fields, foreign, wireName);
  const ignored = ignoredNames(foreign).filter(([name]) => replacementOf(name) === undefined);
  const open = [...taken, ...fields.map(wireName)].map((name) => [name, true] as const);
  const valued = ignored.map(([name, values]) => [name, values === undefined || { enum: [null, ...values] }] as const);
  return {
    properties: Object.fromEntries<unknown>([...valued, ...open]),
    patternProperties: { '^x_': true },
    additionalProperties: { type: 'null', description: 'No field: leave it out.' },
  };
}

interface FieldsSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
}

/** The body of `POST /answer`. */
export function answerRequestSchema(maxQueryCharacters: number): FieldsSchema {
  const { properties = {} } = inputSchema(answerFieldsSchema(maxQueryCharacters));
  // Client generators treat a field with a default as required.
  const { default: _default, ...includeCitations } = properties['includeCitations'] as JsonSchema;
  const all = { ...properties, includeCitations, search, routing };
  return {
    type: 'object',
    description:
      'A question. Other fields are refused, but `null`, names that begin with `x_`, and fields that only affect how a model writes, such as `temperature`.',
    properties: onTheWire(all),
    // In a place that client generators ignore.
    dependentSchemas: {
      model: {
        ...closed(Object.keys(all), answerNames),
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

/** The known options with their types; `null` is the same as no options. */
function optionsSchema(readers: Readonly<Record<string, OptionReader>>): JsonSchema {
  const properties = Object.entries(readers).map(([option, { schema }]) => [wireName(option), schema]);
  return { type: ['object', 'null'], properties: Object.fromEntries(properties), additionalProperties: false };
}
