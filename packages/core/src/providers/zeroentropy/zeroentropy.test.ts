import { describe, expect, it } from 'vitest';
import { embedOnce, rerankOnce } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { BASE64, embedFixtures, ranksOf, rerankFixtures } from '../../../test/retrieval-rows.js';
import { zeroentropy } from './zeroentropy-provider.js';

const RERANK = 'zeroentropy/zerank-2';
const EMBED = 'zeroentropy/zembed-1';
const RANKS = {
  results: ranksOf(),
  total_bytes: 345,
  total_tokens: 58,
  actual_latency_mode: 'fast',
  e2e_latency: 0.14,
  inference_latency: 0.08,
};
const VECTORS = {
  results: BASE64.map((embedding) => ({ embedding })),
  usage: { total_bytes: 312, total_tokens: 12 },
};
const errors = {
  wrongKey: { detail: 'Invalid API key' },
  invalid: { detail: [{ loc: ['body', 'top_n'], msg: 'Input should be greater than 0', type: 'greater_than' }] },
  rate: { detail: 'Rate limit exceeded' },
  internal: { detail: 'Internal Server Error' },
};
const ERRORS: readonly rows.ErrorRow[] = [
  [401, 'wrongKey', 'upstream_auth_failed'],
  [422, 'invalid', 'upstream_rejected'],
  [429, 'rate', 'upstream_rate_limited'],
  [500, 'internal', 'upstream_error'],
];

rows.testProvider(zeroentropy, 'ze_WmVyb0VudHJvcHlLZXlGb3JUZXN0czAxMjM0', {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    ...rerankFixtures(zeroentropy, { reply: RANKS, cost: { usage: { inputTokens: 58 } } }),
    ...embedFixtures(zeroentropy, { reply: VECTORS, cost: { usage: { inputTokens: 12 } } }),
    ...rows.errorFixtures(RERANK, ERRORS, errors),
    ...rows.errorFixtures(EMBED, ERRORS, errors),
  ],
});

describe('zeroentropy', () => {
  const provider = zeroentropy({ apiKey: 'k' });

  it('asks for ranks, in its fast mode', async () => {
    const { request } = await rerankOnce(provider, RERANK, RANKS, { topN: 1 });
    expect([request.url.href, request.headers]).toEqual([
      'https://api.zeroentropy.dev/v1/models/rerank',
      { authorization: 'Bearer k' },
    ]);
    const documents = ['It is open.', 'It is closed.'];
    expect(request.json).toEqual({ latency: 'fast', model: 'zerank-2', query: 'Is it open?', documents, top_n: 1 });
  });

  it.each([
    [undefined, 'document'],
    ['query', 'query'],
  ] as const)('asks for vectors of texts with the role %s as %s', async (inputType, input_type) => {
    const { request } = await embedOnce(provider, EMBED, VECTORS, { inputType, dimensions: 640 });
    expect(request.url.href).toBe('https://api.zeroentropy.dev/v1/models/embed');
    expect(request.json).toEqual({
      latency: 'fast',
      model: 'zembed-1',
      input: ['It is open.'],
      input_type,
      encoding_format: 'base64',
      dimensions: 640,
    });
  });

  it('charges the tokens that it counts', async () => {
    expect((await rerankOnce(provider, RERANK, RANKS)).charged).toEqual(['0.00000145', 'computed']);
    expect((await embedOnce(provider, EMBED, VECTORS)).charged).toEqual(['0.0000006', 'computed']);
  });
});
