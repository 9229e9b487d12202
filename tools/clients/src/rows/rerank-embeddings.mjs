import { CohereClient, CohereClientV2 } from 'cohere-ai';
import { VoyageAIClient } from 'voyageai';
import { DOCUMENTS, PAGE, QUERY, rowsOf } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  'cohere-ai': ['`environment`: `MOUNT/api`', '`token`', 'Only `rerank`, of both client classes.'],
  voyageai: ['`baseUrl`: `BASE`', '`apiKey`', '`embed` and `rerank`. `outputDimension` and `topK` are refused.'],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ mount, base, apiKey }) {
  const cohere = { token: apiKey, environment: `${mount}/api` };
  const voyage = new VoyageAIClient({ apiKey, baseUrl: base });
  const request = { model: 'house/rerank', query: QUERY, documents: DOCUMENTS };
  const shown = ({ results: [first] }) =>
    first.index === 0 && (first.relevanceScore ?? first.relevance_score) === 1 && PAGE;
  const documents = { model: 'house/embed', input: DOCUMENTS, inputType: 'document' };
  const embedded = ({ data }) => data[1].embedding.length === 8 && PAGE;
  return [
    ...rowsOf('cohere-ai', [
      ['rerank of CohereClientV2', () => new CohereClientV2(cohere).rerank({ ...request, topN: 1 }), shown],
      ['rerank of CohereClient', () => new CohereClient(cohere).rerank({ ...request, topN: 1 }), shown],
    ]),
    ...rowsOf('voyageai', [
      ['rerank', () => voyage.rerank(request), shown],
      ['embed', () => voyage.embed(documents), embedded, 0.000_000_05],
    ]),
  ];
}
