import { z } from 'zod';
import type { ModelRow, OutcomeCost } from '../catalog/model-entry.js';
import { type AskedUnits, askedFor, tokenCount } from '../catalog/units.js';
import type { ProviderRerank, Rank } from '../provider-kit/provider.js';
import type { AnswerHead } from './answer/answer-listener.js';
import type { ModelCallOptions } from './call-options.js';
import { checkLength, countField, modelField, queryField, readableText, TEXT, tagField, textsOf } from './fields.js';
import foreignNames from './foreign-names/rerank.json' with { type: 'json' };
import { isObject, type Kind, requireOutcome, unusable } from './kind.js';
import { type Charged, charges, head, wholeNumber } from './reply-schemas.js';
import { inputLimit, measureTexts } from './token-estimate.js';

/** What is sorted. */
export type RerankInput = Omit<ProviderRerank, 'model'>;

/** A document in the reply. */
interface RankedDocument {
  /** Of the document in the request, from 0. */
  readonly index: number;
  /** As the provider says it: comparable inside one reply only. */
  readonly relevance_score: number;
  readonly document: { readonly text: string };
}

interface Reranked {
  readonly results: readonly RankedDocument[];
  /** As the provider counts; absent where it does not. */
  readonly searchUnits: number | undefined;
  readonly tokens: number | undefined;
}

/** Most documents of a call. */
const MAX_DOCUMENTS = 1_000;
const DOCUMENTS_PER_SEARCH_UNIT = 100;

/** A call in process. */
export interface RerankCallOptions extends ModelCallOptions {
  /** Slug of a rerank model, an alias or a group. @default `endpoints.rerank.defaultModel` */
  readonly model?: string | undefined;
  /** As for answers. */
  readonly query: string;
  /** 1 to 1,000 texts, none empty. */
  readonly documents: readonly (string | { readonly text: string })[];
  /** How many documents come back. @default all */
  readonly topN?: number | null | undefined;
}

/** The reply of `POST /rerank`, the same in process. */
export interface RerankReply extends AnswerHead {
  /** The most relevant document first. */
  readonly results: readonly RankedDocument[];
  readonly meta: {
    readonly api_version: { readonly version: '2' };
    /** Where the provider counts search units. */
    readonly billed_units?: { readonly search_units: number } | undefined;
  };
  /** What the provider counts. */
  readonly usage: {
    readonly search_units?: number | undefined;
    readonly total_tokens?: number | undefined;
  } & Charged;
}

function fields(maxQueryCharacters: number) {
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
    topN: countField().describe('How many documents come back. Default: all.'),
    tag: tagField(),
  });
}

function documentText(value: unknown): string | { readonly problem: string } {
  const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : value;
  return typeof text === 'string'
    ? readableText(text)
    : { problem: 'must be a string, or an object with the string "text"' };
}

const rankedDocument = z
  .strictObject({
    index: wholeNumber.describe('Of the document in the request, from 0.'),
    relevance_score: z.number().describe('As the provider says it: comparable inside one reply only.'),
    document: z.strictObject({ text: z.string() }).describe("The caller's own document."),
  })
  .describe('A document with its rank.');
const countedUnits = wholeNumber.describe('A query with up to 100 documents is one.');

function replySchema() {
  return z
    .strictObject({
      ...head,
      results: z.array(rankedDocument).describe('The most relevant document first.'),
      meta: z.strictObject({
        api_version: z.strictObject({ version: z.literal('2') }),
        billed_units: z.strictObject({ search_units: countedUnits }).optional(),
      }),
      usage: z
        .strictObject({
          search_units: countedUnits.optional(),
          total_tokens: wholeNumber.optional(),
          ...charges,
        })
        .describe('Units that the provider does not count are left out.'),
    })
    .describe('Documents by relevance.');
}

/** `POST /rerank`, in the form of Cohere's API. */
export const rerankKind: Kind<z.output<ReturnType<typeof fields>>, RerankInput, Reranked, RerankReply> = {
  category: 'rerank',
  port: 'rerank',
  // Clients of Cohere's second version append the other path to the base URL.
  paths: ['/api/v1/rerank', '/api/v2/rerank'],
  idPrefix: 'rnk',
  operation: {
    operationId: 'rerank',
    summary: 'Sort documents',
    description:
      "Sorts documents by their relevance to a query, in the form of Cohere's API. The same at `/api/v2/rerank`.",
  },
  request: {
    isLong: true,
    isNested: true,
    fields,
    foreignNames,
    inputOf({ query, documents, topN }, form) {
      checkLength(documents, form);
      return { query, documents, topN: Math.min(topN ?? documents.length, documents.length) };
    },
  },
  reply: {
    name: 'Rerank',
    schemas: () => ({ Rerank: replySchema(), RankedDocument: rankedDocument }),
    example: {
      id: 'rnk_01M7YFX2222TA0797FDHDYZR0C',
      model: 'cohere/rerank-v4.0-pro',
      provider: 'cohere',
      results: [{ index: 1, relevance_score: 0.94, document: { text: 'The Zephyr Bridge opened on 14 May 2021.' } }],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
      usage: { search_units: 1, cost: 0.0025 },
    },
  },
  hasFallbacks: true,
  // Texts of one character.
  smallest: { searchUnits: 1, tokens: 118 },
  async ask({ id, rerank: port }, { model, input }, context) {
    if (port === undefined) throw new Error(`the provider ${id} has no rerank`);
    const outcome = await context.ask((own) => port.rerank({ model, ...input }, own));
    const { cost, ranks, upstreamRequestId } = requireOutcome(outcome, 'ranks');
    const results = rankedDocuments(ranks, input, cost);
    const searchUnits = tokenCount(cost.usage?.searchUnits) || undefined;
    const tokens = tokenCount(cost.usage?.inputTokens) || undefined;
    return { value: { results, searchUnits, tokens }, cost, ...(upstreamRequestId && { upstreamRequestId }) };
  },
  unsupportedField: ({ documents }, { model }) =>
    documents.length > (model.maxDocuments ?? MAX_DOCUMENTS) ? 'documents' : undefined,
  askedUnits: unitsFor,
  billedUnits: (_value, likely) => likely,
  present({ results, searchUnits, tokens }) {
    const units = searchUnits === undefined ? undefined : { search_units: searchUnits };
    const meta = { api_version: { version: '2' }, ...(units && { billed_units: units }) };
    const usage = { ...units, ...(tokens !== undefined && { total_tokens: tokens }) };
    return { fields: { results, meta }, usage };
  },
  isShared: false,
};

/** Most tokens of the prompt in which a model that is an LLM reads a document. */
const PROMPT_TOKENS = 100;
/** Cohere reads no more of a query (docs.cohere.com, read 2026-11-28). */
const MAX_QUERY_TOKENS = 2_048;

/** Providers that bill by tokens count those of the query once for each document (Voyage and Cohere, docs read 2026-11-26). */
function unitsFor({ query, documents }: RerankInput): (model: ModelRow) => AskedUnits {
  const [ofQuery = { likely: 0, most: 0 }, ...sizes] = measureTexts([query, ...documents]);
  return (model) => {
    const limit = inputLimit(model);
    const count = (by: 'likely' | 'most', prompt: number) => {
      const queryTokens = Math.min(limit, ofQuery[by]);
      let tokens = 0;
      let chunks = 0;
      for (const size of sizes) {
        const documentTokens = Math.min(limit, size[by]);
        tokens += queryTokens + documentTokens + prompt;
        chunks += chunksOf(documentTokens, Math.min(MAX_QUERY_TOKENS, queryTokens), model.chunkTokens);
      }
      return { searchUnits: Math.ceil(chunks / DOCUMENTS_PER_SEARCH_UNIT), tokens };
    };
    const held = count('most', PROMPT_TOKENS);
    // Without a rule of the vendor, its count of search units has no bound of its own.
    const most = model.chunkTokens === undefined ? { ...askedFor(held).most, tokens: held.tokens } : held;
    return { likely: count('likely', 0), held, most };
  };
}

/**
 * How often a document counts. It is cut where it and the query are longer than a chunk, and each chunk has the query, of which at most half a chunk is read.
 * A vendor that counts the query only once makes no more of it.
 */
function chunksOf(documentTokens: number, queryTokens: number, chunkTokens = 0): number {
  const whole = documentTokens + queryTokens;
  if (!(chunkTokens >= 1 && whole > chunkTokens)) return 1;
  const room = chunkTokens - Math.min(queryTokens, Math.floor(chunkTokens / 2));
  return Math.max(Math.ceil(whole / chunkTokens), Math.ceil(documentTokens / room));
}

/** Sorts, and cuts to the documents that are wanted. The text of a document is the caller's own. @throws UpstreamError for ranks that cannot be right. */
function rankedDocuments(
  ranks: readonly Rank[],
  { documents, topN }: RerankInput,
  cost: OutcomeCost,
): readonly RankedDocument[] {
  const seen = new Set<number>();
  // A hole in the list is an entry too.
  const results = Array.from(ranks, (rank) => {
    const { index, score } = isObject(rank) ? rank : ({} as Partial<Rank>);
    const text = typeof index === 'number' ? documents[index] : undefined;
    if (index === undefined || text === undefined || seen.has(index)) throw unusable('an index is wrong', cost);
    if (typeof score !== 'number' || !Number.isFinite(score)) throw unusable('a score is no number', cost);
    seen.add(index);
    return { index, relevance_score: score, document: { text } };
  });
  if (results.length < topN) throw unusable('documents are missing', cost);
  return results.sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index).slice(0, topN);
}
