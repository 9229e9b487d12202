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
const { fallbacks: _fallbacks, ...ROUTING_OF_ONE } = ROUTING_READERS;
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
  const all = { ...properties, ...options };
  const [, first = ''] = Object.keys(properties);
  return {
    type: 'object',
    properties: onTheWire(all),
    required: required.map(wireName).filter((field) => field !== 'model' || !hasDefault),
    dependentSchemas: { [wireName(first)]: closed(Object.keys(all), foreignNames, translated) },
  };
}

function onTheWire(properties: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(properties).map(([field, schema]) => [wireName(field), schema]));
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

/** The body of `POST /answer`. */
export function answerRequestSchema(maxQueryCharacters: number): JsonSchema {
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

const TEXT = { type: 'string' };
/** Messages of a conversation, and perhaps empty instructions. @param types of text parts. */
function messagesSchema(...types: string[]): JsonSchema {
  const part = { type: 'object', properties: { type: { enum: types }, text: TEXT }, required: ['type', 'text'] };
  const properties = {
    role: { enum: ['user', 'assistant', 'system', 'developer'] },
    content: { oneOf: [TEXT, { type: 'array', items: part }] },
  };
  return {
    type: 'array',
    description:
      'Messages of user and assistant by turns, the question last. Earlier messages need a model with the feature `multi_turn`.',
    items: { type: 'object', properties, required: ['role', 'content'] },
    minItems: 1,
  };
}

/** The body of `POST /chat/completions`. */
export function chatRequestSchema(answerRequest: JsonSchema): JsonSchema {
  const stream_options = { type: ['object', 'null'], properties: { include_usage: { type: ['boolean', 'null'] } } };
  const example = { model: 'exa/answer', messages: [{ role: 'user', content: 'When did the Zephyr Bridge open?' }] };
  return openAiRequestSchema(answerRequest, { messages: messagesSchema('text'), stream_options }, example);
}

/** The body of `POST /responses`. */
export function responsesRequestSchema(answerRequest: JsonSchema): JsonSchema {
  const input = { oneOf: [TEXT, messagesSchema('input_text', 'output_text')] };
  const tool = { type: 'object', properties: { type: { ...TEXT, pattern: '^web_search' } }, required: ['type'] };
  const tools = { type: ['array', 'null'], items: tool };
  const example = { model: 'exa/answer', input: 'When did the Zephyr Bridge open?' };
  return openAiRequestSchema(answerRequest, { input, tools }, example);
}

/** Less strict than the checks, because OpenAI has many fields and most are ignored. @param example has the required fields. */
function openAiRequestSchema(answerRequest: JsonSchema, properties: JsonSchema, example: object): JsonSchema {
  const {
    query: _query,
    messages: _messages,
    tag: _tag,
    ...same
  } = answerRequest['properties'] as Readonly<Record<string, JsonSchema>>;
  return {
    type: 'object',
    description: "A question in OpenAI's form. Fields that only steer how a model writes are ignored.",
    properties: { ...properties, ...same },
    required: Object.keys(example),
    examples: [example],
  };
}
