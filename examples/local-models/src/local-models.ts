import { type EmbedPort, type KindPorts, type RerankPort, UpstreamError } from '@searchgate/core/provider-kit';
import { base64Of, createEmbedder, DIMENSIONS, type Embedder, scoresOf } from './embedder.js';

const FREE = {
  kind: 'flat',
  perMillionTokens: '0',
  source: 'the operator',
  asOf: '2026-11-29',
  confidence: 'high',
} as const;
const COMMON = { prices: [FREE], contextLength: null, timeoutMs: 60_000 };

/**
 * Ports of a provider with the id `local`: `local/embed` makes vectors, and `local/rerank` sorts documents by them, with a small model on this machine. The
 * model reads English. Both are free, and need no account and no network. Put them beside the ports of {@link localDocs}: `{ ...localDocs(), ...localModels() }`.
 *
 * @param embedder default: one of its own, which lives as long as the process.
 */
export function localModels(embedder: Pick<Embedder, 'embed'> = createEmbedder()): Pick<KindPorts, 'embed' | 'rerank'> {
  const embed: EmbedPort = {
    models: [
      {
        slug: 'local/embed',
        name: 'Universal Sentence Encoder lite',
        description: 'Makes vectors of English sentences with a small model on this machine.',
        dimensions: DIMENSIONS,
        features: [],
        ...COMMON,
      },
    ],
    maxInputs: 32,
    async embed({ inputs }, { signal }) {
      const embedded = await embedder.embed(inputs, signal).catch(explain);
      return {
        embeddings: embedded.map(({ vector }, index) => ({ index, vector: base64Of(vector) })),
        cost: { usage: { inputTokens: embedded.reduce((sum, { tokens }) => sum + tokens, 0) } },
      };
    },
  };
  const rerank: RerankPort = {
    models: [
      {
        slug: 'local/rerank',
        name: 'Universal Sentence Encoder lite rerank',
        description: 'Sorts English texts by their closeness to the query, with a small model on this machine.',
        maxDocuments: 100,
        features: [],
        ...COMMON,
      },
    ],
    async rerank({ query, documents }, { signal }) {
      const { scores, tokens } = await scoresOf(embedder, { query, texts: documents }, signal).catch(explain);
      return { ranks: scores.map((score, index) => ({ index, score })), cost: { usage: { inputTokens: tokens } } };
    },
  };
  return { embed, rerank };
}

/** A text that is too long is the caller's mistake; a model that has ended is not, and the next call starts another. */
function explain(error: unknown): never {
  if (!(error instanceof Error) || error.name === 'AbortError') throw error;
  const reason = error instanceof RangeError ? 'query_rejected' : 'upstream_error';
  throw new UpstreamError(reason, { phase: 'shape', detail: error.message, cause: error });
}
