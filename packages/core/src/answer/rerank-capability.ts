import { UpstreamError } from '../base/errors/upstream-error.js';
import { tokenCount } from '../base/metered-usage.js';
import type { OutcomeCost } from '../catalog/model-entry.js';
import type { Units } from '../catalog/pricing.js';
import type { Rank } from '../provider-kit/provider.js';
import { type Capability, isObject, requireOutcome } from './capability.js';
import { BILLED_BYTES, estimateTokens, HELD_BYTES } from './token-estimate.js';

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
  askedUnits: (input) => unitsOf(input, HELD_BYTES),
  billedUnits: (_value, input) => unitsOf(input, BILLED_BYTES),
  present({ results, searchUnits, tokens }) {
    const units = searchUnits === undefined ? undefined : { search_units: searchUnits };
    const meta = { api_version: { version: '2' }, ...(units && { billed_units: units }) };
    const usage = { ...units, ...(tokens !== undefined && { total_tokens: tokens }) };
    return { fields: { results, meta }, usage };
  },
  kept: null,
  isShared: false,
};

/** Providers that bill by tokens count those of the query once for each document (Voyage and Cohere, docs read 2026-11-26). */
function unitsOf({ query, documents }: RerankInput, bytesPerToken: typeof HELD_BYTES | typeof BILLED_BYTES): Units {
  const ofQueries = documents.length * estimateTokens(query, bytesPerToken);
  const ofDocuments = documents.reduce((sum, text) => sum + estimateTokens(text, bytesPerToken), 0);
  return { searchUnits: Math.ceil(documents.length / DOCUMENTS_PER_SEARCH_UNIT), tokens: ofQueries + ofDocuments };
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

function unusable(detail: string, { reported, usage }: OutcomeCost): UpstreamError {
  return new UpstreamError('upstream_invalid_response', { phase: 'shape', status: 200, cost: reported, usage, detail });
}
