import { z } from 'zod';
import { RequestError } from '../base/errors/request-error.js';
import type { ProviderEmbed } from '../provider-kit/provider.js';
import type { AnswerHead } from './answer/answer-listener.js';
import type { ModelCallOptions } from './call-options.js';
import { embedInParts, mostTokens } from './embed-in-parts.js';
import { checkLength, countField, modelField, mustBe, readableText, TEXT, tagField, textsOf } from './fields.js';
import foreignNames from './foreign-names/embeddings.json' with { type: 'json' };
import { type Kind, unusable } from './kind.js';
import { type Charged, charges, head, wholeNumber } from './reply-schemas.js';
import { inputLimit, measureTexts } from './token-estimate.js';
import { readVectors, type Vector } from './vectors.js';

/** What vectors are made of. */
export interface EmbedInput extends Omit<ProviderEmbed, 'model'> {
  readonly encodingFormat: 'float' | 'base64';
}

/** A vector in the reply. */
interface EmbeddedText {
  readonly object: 'embedding';
  /** Of the text in the request, from 0. */
  readonly index: number;
  readonly embedding: Vector;
}

interface Embedded {
  readonly vectors: readonly Vector[];
  /** As the provider counts, else an estimate. */
  readonly tokens: number;
}

/** Most texts of a call. */
const MAX_INPUTS = 2_048;
/** Most characters of vectors whose reply is written at once. */
const MAX_SHORT_REPLY = 1_000_000;
/** About as many characters has a number in JSON. */
const CHARACTERS_PER_NUMBER = 20;

/** A call in process. */
export interface EmbedCallOptions extends ModelCallOptions {
  /** Slug or alias of an embedding model. @default `endpoints.embeddings.defaultModel` */
  readonly model?: string | undefined;
  /** A text, or 1 to 2,048 texts, none empty. */
  readonly input: string | readonly string[];
  /** The form of a vector: numbers, or base64 of little-endian floats of 32 bits. @default `float` */
  readonly encodingFormat?: 'float' | 'base64' | null | undefined;
  /** The length of a vector, for models with the feature `dimensions_param`. @default that of the model */
  readonly dimensions?: number | null | undefined;
  /** The role of the texts, for models with the feature `input_type`; others ignore it. @default no role */
  readonly inputType?: 'query' | 'document' | null | undefined;
}

/** The reply of `POST /embeddings`, the same in process. */
export interface EmbedReply extends AnswerHead {
  readonly object: 'list';
  /** In the order of the texts. */
  readonly data: readonly EmbeddedText[];
  /** An estimate, where the provider counts no tokens. */
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number } & Charged;
}

function fields() {
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
    dimensions: countField()
      .transform((length) => length ?? undefined)
      .describe('The length of a vector, where the model lets you choose. Default: that of the model.'),
    inputType: z
      .enum(['query', 'document', 'search_query', 'search_document'], mustBe('"query" or "document"'))
      .nullish()
      .transform((type) => (type == null ? undefined : type.endsWith('query') ? 'query' : 'document'))
      .describe('The role of the texts, for models that have the feature `input_type`. Others ignore it.'),
    tag: tagField(),
  });
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

const vectorSchema = z
  .strictObject({
    object: z.literal('embedding'),
    index: wholeNumber.describe('Of the text in the request, from 0.'),
    embedding: z
      .union([z.array(z.number()), z.string()])
      .describe('Numbers; with `"encoding_format": "base64"` little-endian floats of 32 bits.'),
  })
  .describe('The vector of a text.');

function replySchema() {
  return z
    .strictObject({
      object: z.literal('list'),
      ...head,
      data: z.array(vectorSchema).describe('In the order of the texts.'),
      usage: z
        .strictObject({ prompt_tokens: wholeNumber, total_tokens: wholeNumber, ...charges })
        .describe('Tokens are an estimate where the provider counts none.'),
    })
    .describe('The vectors of texts.');
}

/** `POST /embeddings`, in the form of OpenAI's API. */
export const embeddingsKind: Kind<z.output<ReturnType<typeof fields>>, EmbedInput, Embedded, EmbedReply> = {
  category: 'embedding',
  port: 'embed',
  paths: ['/api/v1/embeddings'],
  idPrefix: 'emb',
  operation: {
    operationId: 'createEmbedding',
    summary: 'Make vectors',
    description:
      "Makes the vectors of texts, in the form of OpenAI's API. No other model steps in for an embedding model.",
  },
  request: {
    isLong: true,
    fields,
    foreignNames,
    check: (sent, { nameOf }) => refuseTokens(sent('input'), nameOf('input')),
    inputOf({ input: inputs, encodingFormat, dimensions, inputType }, form) {
      checkLength(inputs, form);
      return { inputs, encodingFormat, dimensions, inputType };
    },
  },
  reply: {
    name: 'Embeddings',
    schemas: () => ({ Embeddings: replySchema(), Embedding: vectorSchema }),
    example: {
      object: 'list',
      id: 'emb_01M7YFX2222TA0797FDHDYZR0C',
      model: 'openai/text-embedding-3-small',
      provider: 'openai',
      data: [{ object: 'embedding', index: 0, embedding: [0.013, -0.021, 0.008] }],
      usage: { prompt_tokens: 9, total_tokens: 9, cost: 0.00000018 },
    },
  },
  // Vectors of another model are of no use beside those of the first.
  hasFallbacks: false,
  smallest: { tokens: 9 },
  async ask({ id, embed: port }, call, context) {
    if (port === undefined) throw new Error(`the provider ${id} has no embed`);
    const { input, model, facts } = call;
    const { inputs, encodingFormat } = input;
    const dimensions = model.features.includes('dimensions_param') ? input.dimensions : undefined;
    const inputType = model.features.includes('input_type') ? input.inputType : undefined;
    const outcome = await embedInParts(port, { model, inputs, inputType, dimensions }, context);
    const { embeddings, tokens, upstreamRequestId, ...sold } = outcome;
    const form = { count: inputs.length, dimensions: input.dimensions ?? facts.dimensions, encodingFormat };
    const vectors = await readVectors(embeddings, form);
    if (typeof vectors === 'string') throw unusable(vectors, sold.cost);
    return { value: { vectors, tokens }, ...sold, ...(upstreamRequestId && { upstreamRequestId }) };
  },
  unsupportedField({ dimensions }, { facts, leastDimensions, model: { vectorLengths } }) {
    if (dimensions === undefined || dimensions === facts.dimensions) return undefined;
    const isBetween = dimensions >= leastDimensions && dimensions <= (facts.dimensions ?? 0);
    const fits = vectorLengths?.includes(dimensions) ?? isBetween;
    return fits && facts.features.includes('dimensions_param') ? undefined : 'dimensions';
  },
  askedUnits({ inputs, inputType }) {
    const sizes = measureTexts(inputs);
    return (model) => {
      const limit = inputLimit(model);
      const likely = { tokens: sizes.reduce((sum, size) => sum + Math.min(limit, size.likely), 0) };
      const held = { tokens: sizes.reduce((sum, { most }) => sum + mostTokens(model, most, inputType), 0) };
      return { likely, held, most: held };
    };
  },
  billedUnits: (_value, likely) => likely,
  present({ vectors, tokens }) {
    const data = vectors.map((embedding, index): EmbeddedText => ({ object: 'embedding', index, embedding }));
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    const [first = ''] = vectors;
    const length = first.length * (typeof first === 'string' ? 1 : CHARACTERS_PER_NUMBER) * vectors.length;
    if (length <= MAX_SHORT_REPLY) return { object: 'list', fields: { data }, usage };
    return { object: 'list', fields: {}, longList: { name: 'data', items: data }, usage };
  },
  isShared: false,
};
