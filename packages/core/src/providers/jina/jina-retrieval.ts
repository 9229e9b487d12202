import type { ErrorTable } from '../../provider-kit/classify.js';
import type { EmbedPort, RerankPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { embedAt, rerankAt } from '../../provider-kit/ranks-and-vectors.js';

// Facts are of api.jina.ai/openapi.json, jina-ai/meta-prompt@0d087a6 and jina-ai/jina-on-prem@03bf51b, read on 2026-11-26.

const JINA_RETRIEVAL_ERRORS: ErrorTable = [
  // With status 403.
  { code: /INSUFFICIENT_BALANCE/, reason: 'upstream_quota_exhausted' },
  { message: /insufficient (?:account )?balance/i, reason: 'upstream_quota_exhausted' },
  // The only words seen for a text that is too long (2025-10).
  { status: [400, 422], message: /failed to encode text|too long|exceed/i, reason: 'query_rejected' },
];

/** Asks `POST /v1/rerank`. */
export function jinaRerankPort(connection: Connection): RerankPort['rerank'] {
  return rerankAt(connection, {
    path: '/v1/rerank',
    errors: JINA_RETRIEVAL_ERRORS,
    request: ({ model, query, documents, topN }) => ({ model, query, documents, top_n: topN, return_documents: false }),
  });
}

const TASKS = { query: 'retrieval.query', document: 'retrieval.passage' };

/** Asks `POST /v1/embeddings`, which refuses texts that are too long. */
export function jinaEmbedPort(connection: Connection): EmbedPort['embed'] {
  return embedAt(connection, {
    path: '/v1/embeddings',
    errors: JINA_RETRIEVAL_ERRORS,
    request: ({ model, inputs, inputType, dimensions }) => ({
      model,
      input: inputs,
      embedding_type: 'base64',
      normalized: true,
      dimensions,
      task: inputType && TASKS[inputType],
    }),
  });
}
