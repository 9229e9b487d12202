import { CohereClient, CohereClientV2 } from 'cohere-ai';
import { VoyageAIClient } from 'voyageai';
import { DOCUMENTS, PAGE, QUERY, rowsOf } from '../row.mjs';

/** @type {import('../row.mjs').Clients} */
export const clients = {
  'cohere-ai': ['`environment`: `MOUNT/api`', '`token`', 'Only `rerank`, of both client classes.'],
  voyageai: [
    '`baseUrl`: `BASE`',
    '`apiKey`',
    "Only `embed`, without `outputDimension`: `rerank` replies in Cohere's form.",
  ],
};

/** @type {import('../row.mjs').Rows} */
export function rows({ mount, base, apiKey }) {
  const cohere = { token: apiKey, environment: `${mount}/api` };
  const voyage = new VoyageAIClient({ apiKey, baseUrl: base });
  const request = { model: 'house/rerank', query: QUERY, documents: DOCUMENTS };
  const ranked = ({ results: [{ index, relevanceScore: score }] }) => index === 0 && score === 1 && PAGE;
  const documents = { model: 'house/embed', input: DOCUMENTS, inputType: 'document' };
  const embedded = ({ data }) => data[1].embedding.length === 8 && PAGE;
  return [
    ...rowsOf('cohere-ai', [
      ['rerank of CohereClientV2', () => new CohereClientV2(cohere).rerank({ ...request, topN: 1 }), ranked],
      ['rerank of CohereClient', () => new CohereClient(cohere).rerank({ ...request, topN: 1 }), ranked],
    ]),
    ...rowsOf('voyageai', [['embed', () => voyage.embed(documents), embedded, 0.000_000_05]]),
  ];
}
