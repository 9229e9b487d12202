import { tokenCount } from '../base/metered-usage.js';
import type { ModelRow, OutcomeCost } from '../catalog/model-entry.js';
import { type AskedUnits, askedFor } from '../catalog/units.js';
import type { Rank } from '../provider-kit/provider.js';
import { type Capability, isObject, requireOutcome, unusable } from './capability.js';
import { inputLimit, measureTexts } from './token-estimate.js';

/** What is sorted. */
export interface RerankInput {
  readonly query: string;
  readonly documents: readonly string[];
  /** How many documents are wanted, 1 to all. */
  readonly topN: number;
}

/** A document in the reply. */
export interface RankedDocument {
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
export const MAX_DOCUMENTS = 1_000;
const DOCUMENTS_PER_SEARCH_UNIT = 100;

/** `POST /rerank`, in the form of Cohere's API. */
export const rerankCapability: Capability<RerankInput, Reranked> = {
  category: 'rerank',
  idPrefix: 'rnk',
  async ask({ id, rerank: port }, { model, input }, context) {
    if (port === undefined) throw new Error(`the provider ${id} has no rerank`);
    const outcome = await port.rerank({ model, ...input }, context);
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
  kept: null,
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
