import { describe, expect, it } from 'vitest';
import { embedOnce, rerankOnce } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { BASE64, dataOf, embedFixtures, ranksOf, rerankFixtures } from '../../../test/retrieval-rows.js';
import { mixedbread } from './mixedbread-provider.js';

const RERANK = 'mixedbread/mxbai-rerank-large-v2';
const EMBED = 'mixedbread/mxbai-embed-large-v1';
const USAGE = { prompt_tokens: 12, total_tokens: 12 };
const RANKS = {
  object: 'list',
  model: 'mixedbread-ai/mxbai-rerank-large-v2',
  data: ranksOf('score'),
  usage: USAGE,
  top_k: 2,
  return_input: false,
};
const VECTORS = {
  object: 'list',
  model: 'mixedbread-ai/mxbai-embed-large-v1',
  data: dataOf(BASE64),
  usage: USAGE,
  normalized: true,
};
const errors = {
  wrongKey: { type: 'authentication_error', message: 'Invalid API key.' },
  invalid: { type: 'validation_error', message: 'top_k must be at least 1.' },
  rate: {
    type: 'too_many_requests_error',
    url: 'https://www.mixedbread.ai/api-reference',
    message: 'Rate limit exceeded. Please try again later.',
    details: { retry_after: 60, limit: '100', remaining: '0', tier: '1' },
  },
  internal: { type: 'internal_error', message: 'Something went wrong.' },
};
const ERRORS: readonly rows.ErrorRow[] = [
  [401, 'wrongKey', 'upstream_auth_failed'],
  [422, 'invalid', 'upstream_rejected'],
  [429, 'rate', 'upstream_rate_limited'],
  [500, 'internal', 'upstream_error'],
];

rows.testProvider(mixedbread, 'mxb_TWl4ZWRicmVhZEtleUZvclRlc3RzMDEyMzQ1', {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    ...rerankFixtures(mixedbread, { reply: RANKS, cost: { usage: { inputTokens: 12 } } }),
    ...embedFixtures(mixedbread, { reply: VECTORS, cost: { usage: { inputTokens: 12 } } }),
    ...rows.errorFixtures(RERANK, ERRORS, errors),
    ...rows.errorFixtures(EMBED, ERRORS, errors),
  ],
});

describe('mixedbread', () => {
  const provider = mixedbread({ apiKey: 'k' });

  it('asks for ranks', async () => {
    const { request } = await rerankOnce(provider, RERANK, RANKS, { topN: 1 });
    expect([request.url.href, request.headers]).toEqual([
      'https://api.mixedbread.com/v1/reranking',
      { authorization: 'Bearer k' },
    ]);
    const input = ['It is open.', 'It is closed.'];
    expect(request.json).toEqual({
      model: 'mixedbread-ai/mxbai-rerank-large-v2',
      query: 'Is it open?',
      input,
      top_k: 1,
    });
  });

  it.each([
    [undefined, {}],
    ['document', {}],
    ['query', { prompt: 'Represent this sentence for searching relevant passages:' }],
  ] as const)('says the role %s in words', async (inputType, words) => {
    const { request } = await embedOnce(provider, EMBED, VECTORS, { inputType, dimensions: 512 });
    expect(request.url.href).toBe('https://api.mixedbread.com/v1/embeddings');
    const plain = { model: 'mixedbread-ai/mxbai-embed-large-v1', input: ['It is open.'], encoding_format: 'base64' };
    expect(request.json).toEqual({ ...plain, dimensions: 512, ...words });
  });

  it('charges the tokens that it counts', async () => {
    expect((await rerankOnce(provider, RERANK, RANKS)).charged).toEqual(['0.0000018', 'computed']);
    expect((await embedOnce(provider, EMBED, VECTORS)).charged).toEqual(['0.0000012', 'computed']);
  });
});
