import { describe, expect, it } from 'vitest';
import { embedOnce, rerankOnce } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { dataOf, embedFixtures, NUMBERS, ranksOf, rerankFixtures } from '../../../test/retrieval-rows.js';
import { alibaba } from './alibaba-provider.js';

const RERANK = 'alibaba/qwen3-rerank';
const EMBED = 'alibaba/text-embedding-v4';
const RANKS = { object: 'list', results: ranksOf(), model: 'qwen3-rerank', id: 'r-1', usage: { total_tokens: 33 } };
const VECTORS = {
  data: dataOf(NUMBERS),
  model: 'text-embedding-v4',
  object: 'list',
  usage: { prompt_tokens: 23, total_tokens: 23 },
  id: 'f62c2ae7',
};
const failed = (code: string, message: string) => ({
  error: { message, type: code, param: null, code },
  request_id: 'q1',
});
const errors = {
  wrongKey: failed('invalid_api_key', 'Incorrect API key provided.'),
  tooLong: failed('InvalidParameter', 'Range of input length should be [1, 8192]'),
  tooLarge: failed(
    'InvalidParameter',
    '<400> InternalError.Algo.InvalidParameter: document index:0 is invalid, it should not be larger than 300000: input.documents',
  ),
  blocked: failed('data_inspection_failed', 'Input data may contain inappropriate content.'),
  blockedOtherwise: { request_id: 'q1', code: 'DataInspectionFailed', message: 'Input data may be inappropriate.' },
  invalid: failed('InvalidParameter', 'value of top_n is wrong'),
  unpaid: failed('Arrearage', 'Access denied, please make sure your account is in good standing.'),
  rate: failed('limit_requests', 'You exceeded your current requests list.'),
  internal: failed('InternalError', 'An internal error has occured.'),
};
const ERRORS = rows.meanings({
  upstream_auth_failed: '401 wrongKey',
  query_rejected: '400 tooLong, 400 tooLarge, 400 blocked, 400 blockedOtherwise',
  upstream_rejected: '400 invalid',
  upstream_quota_exhausted: '400 unpaid',
  upstream_rate_limited: '429 rate',
  upstream_error: '500 internal',
});

rows.testProvider(alibaba, 'sk-QWxpYmFiYUtleUZvclRlc3RzMDEyMzQ1Njc4', {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    ...rerankFixtures(alibaba, { reply: RANKS, cost: { usage: { inputTokens: 33 } }, upstreamRequestId: 'r-1' }),
    ...embedFixtures(alibaba, {
      reply: VECTORS,
      cost: { usage: { inputTokens: 23 } },
      upstreamRequestId: 'f62c2ae7',
      vectors: NUMBERS,
    }),
    ...rows.errorFixtures(RERANK, ERRORS, errors),
    ...rows.errorFixtures(EMBED, ERRORS, errors),
  ],
});

describe('alibaba', () => {
  const provider = alibaba({ apiKey: 'k' });

  it('asks for ranks', async () => {
    const { request } = await rerankOnce(provider, RERANK, RANKS, { topN: 1 });
    expect([request.url.href, request.headers]).toEqual([
      'https://dashscope-intl.aliyuncs.com/compatible-api/v1/reranks',
      { authorization: 'Bearer k' },
    ]);
    const documents = ['It is open.', 'It is closed.'];
    expect(request.json).toEqual({ model: 'qwen3-rerank', query: 'Is it open?', documents, top_n: 1 });
  });

  it('asks for vectors', async () => {
    const { request } = await embedOnce(provider, EMBED, VECTORS, { inputType: undefined, dimensions: 256 });
    expect(request.url.href).toBe('https://dashscope-intl.aliyuncs.com/compatible-mode/v1/embeddings');
    const plain = { model: 'text-embedding-v4', input: ['It is open.'], encoding_format: 'float' };
    expect(request.json).toEqual({ ...plain, dimensions: 256 });
  });

  it('charges the tokens that it counts', async () => {
    expect((await rerankOnce(provider, RERANK, RANKS)).charged).toEqual(['0.0000033', 'computed']);
    expect((await embedOnce(provider, EMBED, VECTORS)).charged).toEqual(['0.00000161', 'computed']);
  });
});
