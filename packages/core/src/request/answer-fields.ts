import { z } from 'zod';
import { tryJson } from '../base/json-counts.js';
import type { JsonFormat } from '../base/json-format.js';
import { hasMoreCharacters, isStorable, isVisible } from '../base/options/characters.js';
import type { Question } from '../kinds/answer/question-call.js';
import { countField, modelField, mustBe, NOT_READABLE, queryField, switchField, tagField } from '../kinds/fields.js';
import foreignNames from '../kinds/foreign-names/answer.json' with { type: 'json' };
import type { AskedOptions } from '../kinds/kind-call.js';
import { createAskedReader } from './asked-options.js';
import { type FormFields, formNamesCheck, type KindNames, kindNames } from './field-names.js';

/** The fields of a question, checked. */
export interface AnswerFields extends Question, AskedOptions {
  readonly model: string;
  /** Whether the caller wants the answer as a stream. */
  readonly stream: boolean;
}

/** The fields of a question as the caller gave them. */
export type UncheckedAnswerFields = {
  readonly [Field in Exclude<keyof AnswerFields, 'earlier'> | 'messages']?: unknown;
};

const FIELDS = [
  'model',
  'query',
  'messages',
  'responseFormat',
  'instructions',
  'maxOutputTokens',
  'includeCitations',
  'search',
  'routing',
  'tag',
] as const satisfies readonly (keyof UncheckedAnswerFields)[];

/** The names of a question's fields. @param others fields of the transport. */
export function questionNames(nameOf: (field: string) => string, others: readonly string[] = []): KindNames {
  return kindNames([...FIELDS, ...others], foreignNames, nameOf);
}

/** Checks the names of a question in the form of another service. @returns a function that gives the number of names that mean nothing here. */
export function formNames(form: FormFields, nameOf: (field: string) => string): (given: object) => number {
  return formNamesCheck(form, { fields: [...FIELDS, 'stream', ...form.read], foreign: foreignNames, nameOf });
}

const MAX_MESSAGES = 32;
const MESSAGE = z.object(
  {
    role: z.enum(['user', 'assistant'], mustBe('"user" or "assistant"')),
    content: z.string(mustBe('a string')).refine(isVisible, 'must not be empty').refine(isStorable, NOT_READABLE),
  },
  mustBe('an object with role and content'),
);

function messagesField(maxCharacters: number) {
  // Counted before they are read.
  return z
    .array(z.unknown(), mustBe('an array of messages'))
    .refine(({ length }) => length <= MAX_MESSAGES, `must have at most ${MAX_MESSAGES} messages`)
    .pipe(z.array(MESSAGE))
    .superRefine((messages, context) => {
      const isInTurn = messages.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'));
      if (!isInTurn || messages.length % 2 === 0) context.addIssue(OUT_OF_TURN);
      const texts = messages.map(({ content }) => content.trim()).join('');
      if (hasMoreCharacters(texts, maxCharacters)) context.addIssue(`must have at most ${maxCharacters} characters`);
    })
    .meta({
      description:
        'A conversation in place of `query`: messages of user and assistant by turns, the question last. Together as long as a `query`. ' +
        'Earlier messages need a model with the feature `multi_turn`.',
      minItems: 1,
      maxItems: MAX_MESSAGES,
      items: {
        type: 'object',
        properties: { role: { enum: ['user', 'assistant'] }, content: { type: 'string', pattern: String.raw`\S` } },
        required: ['role', 'content'],
      },
    });
}

/** @param schemaField the transport's name of the field with the schema. */
function responseFormatField(schemaField: string) {
  const format = z.object(
    {
      // Perplexity's clients send none (AI SDK's provider 3.0.61, 2026-11-29).
      name: z
        .string(mustBe('a string'))
        .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" and "-"')
        .nullish()
        .transform((name) => name ?? 'answer'),
      schema: z
        .record(z.string(), z.unknown(), mustBe('a JSON Schema, an object'))
        .refine(isSmallJson, 'must have at most 16 KiB as JSON'),
      strict: z
        .boolean(mustBe('true or false'))
        .nullish()
        .transform((strict) => strict ?? undefined),
    },
    mustBe('an object with schema'),
  );
  const text = z.object({ type: z.literal('text') });
  const json = z.object({ type: z.literal('json_schema'), [schemaField]: format });
  return z
    .discriminatedUnion('type', [text, json], mustBe('of type "text" or "json_schema"'))
    .nullish()
    .transform((given) => (given as Record<string, JsonFormat> | null | undefined)?.[schemaField])
    .describe(
      'The form of the answer. JSON needs a model with the feature `json_schema`; its text has no markers. Default: text.',
    );
}

const MAX_INSTRUCTIONS = 32_000;
const instructionsField = z
  .string(mustBe('a string'))
  .refine(isVisible, 'must not be empty')
  .refine(isStorable, NOT_READABLE)
  .refine((text) => !hasMoreCharacters(text, MAX_INSTRUCTIONS), `must have at most ${MAX_INSTRUCTIONS} characters`)
  .nullish()
  .meta({ maxLength: MAX_INSTRUCTIONS, pattern: String.raw`\S` })
  .describe('How to answer: a system text. Needs a model with the feature `instructions`.');

const outputTokensField = countField().describe(
  'The longest answer in tokens, where the vendor counts thoughts as well. Needs a model with the feature `max_output_tokens`. ' +
    'An answer that reaches it is charged, and has `"truncated": true`.',
);

function isSmallJson(value: unknown): boolean {
  // In process, a value may refer to itself.
  return (tryJson(() => Buffer.byteLength(JSON.stringify(value))) ?? Number.POSITIVE_INFINITY) <= 16_384;
}

const OUT_OF_TURN = 'must be of user and assistant by turns, of the user first and last';

const NO_QUERY = z.undefined({ error: 'cannot be sent with messages' }).optional();

/** The schema of a question's fields, with their descriptions for the OpenAPI document. `search` and `routing` have separate readers. */
export function answerFieldsSchema(
  maxQueryCharacters: number,
  form: 'query' | 'messages' = 'query',
  schemaField = 'json_schema',
) {
  return z.object({
    model: modelField('answer', 'exa/answer'),
    query: form === 'query' ? queryField(maxQueryCharacters) : NO_QUERY,
    messages: messagesField(maxQueryCharacters).nullish(),
    responseFormat: responseFormatField(schemaField),
    instructions: instructionsField,
    maxOutputTokens: outputTokensField,
    includeCitations: z
      .boolean(mustBe('true or false'))
      .default(true)
      .describe('Whether the answer comes with citations and markers. Default: true.'),
    stream: switchField().describe('Whether the answer is sent as events while it is written.'),
    tag: tagField(),
  });
}

/**
 * Builds the check of a question's fields once. Types are taken strictly, nothing is coerced.
 *
 * @param nameOf gives the transport's name of a field, for errors.
 * @returns a function that throws RequestError `invalid_field`.
 */
export function createAnswerFieldsCheck(maxQueryCharacters: number, nameOf: (field: string) => string) {
  const { replacementOf } = questionNames(nameOf);
  const schemaField = nameOf('jsonSchema');
  const readAsked = createAskedReader(nameOf, replacementOf);
  // Compiled at the first request, to keep the start of a gateway fast.
  const compiled: { [Form in 'query' | 'messages']?: ReturnType<typeof answerFieldsSchema> } = {};

  return (given: UncheckedAnswerFields): AnswerFields => {
    const form = (given.messages ?? null) === null ? 'query' : 'messages';
    const schema = (compiled[form] ??= z.compile(answerFieldsSchema(maxQueryCharacters, form, schemaField)));
    const { data, search, routing } = readAsked(schema.safeParse(given), given);
    // Field by field: copying objects as a whole took a twentieth of the CPU of an answer.
    const { model, query: single = '', messages, responseFormat, includeCitations, stream, tag } = data;
    const instructions = data.instructions ?? undefined;
    const maxOutputTokens = data.maxOutputTokens ?? undefined;
    const earlier = messages != null && messages.length > 1 ? messages.slice(0, -1) : undefined;
    const query = messages?.at(-1)?.content ?? single;
    const asked = { model, query, earlier, responseFormat, includeCitations, stream, tag };
    return Object.assign(asked, { instructions, maxOutputTokens, search, routing });
  };
}
