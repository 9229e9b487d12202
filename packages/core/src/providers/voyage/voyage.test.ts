import { describe, expect, it } from 'vitest';
import { embedOnce, rerankOnce } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { BASE64, dataOf, embedFixtures, ranksOf, rerankFixtures } from '../../../test/retrieval-rows.js';
import { voyage } from './voyage-provider.js';

const RERANK = 'voyage/rerank-2.5';
const EMBED = 'voyage/voyage-4';
const RANKS = { object: 'list', data: ranksOf(), model: 'rerank-2.5', usage: { total_tokens: 26 } };
const VECTORS = { object: 'list', data: dataOf(BASE64), model: 'voyage-4', usage: { total_tokens: 8 } };
const TOO_MANY =
  "Request to model 'voyage-code-3' failed. The max allowed tokens per submitted batch is 120000. Your batch has 124417 tokens after truncation.";
const errors = {
  invalid: { detail: 'Argument top_k must be a positive integer.' },
  tooMany: { detail: TOO_MANY },
  tooLong: {
    detail:
      "The example at index 0 in your batch has too many tokens and does not fit into the model's context window.",
  },
  wrongKey: { detail: 'Provided API key is invalid.' },
  rate: { detail: 'You have exceeded the rate limit of requests per minute.' },
  noCard: {
    detail:
      'You have not yet added your payment method in the billing page and will have reduced rate limits of 3 RPM and 10K TPM.',
  },
  internal: { detail: 'Internal server error' },
};
const ERRORS = rows.meanings({
  upstream_rejected: '400 invalid',
  query_rejected: '400 tooMany, 400 tooLong',
  upstream_auth_failed: '401 wrongKey, 403 wrongKey',
  upstream_rate_limited: '429 rate, 429 noCard',
  upstream_error: '500 internal',
});

rows.testProvider(voyage, 'pa-Vm95YWdlS2V5Rm9yVGVzdHMwMTIzNDU2Nzg5', {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    ...rerankFixtures(voyage, { reply: RANKS, cost: { usage: { inputTokens: 26 } } }),
    ...embedFixtures(voyage, { reply: VECTORS, cost: { usage: { inputTokens: 8 } } }),
    ...rows.errorFixtures(RERANK, ERRORS, errors),
    ...rows.errorFixtures(EMBED, ERRORS, errors),
  ],
});

describe('voyage', () => {
  const provider = voyage({ apiKey: 'pa-k' });

  it('asks for ranks, and refuses to have documents cut', async () => {
    const { request } = await rerankOnce(provider, RERANK, RANKS, { topN: 1 });
    expect([request.url.href, request.headers]).toEqual([
      'https://api.voyageai.com/v1/rerank',
      { authorization: 'Bearer pa-k' },
    ]);
    const documents = ['It is open.', 'It is closed.'];
    expect(request.json).toEqual({ model: 'rerank-2.5', query: 'Is it open?', documents, top_k: 1, truncation: false });
  });

  it('asks for vectors with a role and a length', async () => {
    const { request } = await embedOnce(provider, EMBED, VECTORS, { inputType: 'query', dimensions: 256 });
    expect(request.json).toEqual({
      model: 'voyage-4',
      input: ['It is open.'],
      encoding_format: 'base64',
      truncation: false,
      input_type: 'query',
      output_dimension: 256,
    });
    const plain = await embedOnce(provider, EMBED, VECTORS);
    expect(plain.request.json).toEqual({
      model: 'voyage-4',
      input: ['It is open.'],
      encoding_format: 'base64',
      truncation: false,
    });
  });

  it.each([
    ['al-k', undefined, 'https://ai.mongodb.com/v1/embeddings'],
    ['al-k', 'http://127.0.0.1:1/v', 'http://127.0.0.1:1/v/embeddings'],
    ['pa-k', undefined, 'https://api.voyageai.com/v1/embeddings'],
  ])('sends the key %s to its host', async (apiKey, baseUrl, url) => {
    const { request } = await embedOnce(voyage({ apiKey, baseUrl }), EMBED, VECTORS);
    expect(request.url.href).toBe(url);
  });

  it('charges the tokens that it counts', async () => {
    expect((await rerankOnce(provider, RERANK, RANKS)).charged).toEqual(['0.0000013', 'computed']);
    expect((await embedOnce(provider, EMBED, VECTORS)).charged).toEqual(['0.00000048', 'computed']);
  });
});
