import { describe, expect, it } from 'vitest';
import { embedOnce, rerankOnce } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { BASE64, embedFixtures, ranksOf, rerankFixtures } from '../../../test/retrieval-rows.js';
import { rerankKind } from '../../kinds/rerank.js';
import { cohere } from './cohere-provider.js';

const RERANK = 'cohere/rerank-v4.0-fast';
const EMBED = 'cohere/embed-v4.0';
const RANKS = {
  id: '07734bd2',
  results: ranksOf(),
  meta: { api_version: { version: '2', is_experimental: false }, billed_units: { search_units: 1 } },
};
const VECTORS = {
  id: 'da6e531f',
  response_type: 'embeddings_by_type',
  embeddings: { base64: BASE64 },
  texts: ['It is open.', 'It is closed.'],
  meta: { api_version: { version: '2' }, billed_units: { input_tokens: 8 } },
};
const errors = {
  invalid: { id: 'e1', message: 'invalid request: top_n must be at least 1' },
  tooLong: {
    id: 'e2',
    message: 'too many tokens: size limit exceeded by 812 tokens. Try using shorter or fewer inputs.',
  },
  wrongKey: { message: 'invalid api token' },
  blocked: { id: 'e3', message: 'blocked output: please check your input' },
  rate: { message: 'trial token rate limit exceeded, limit is 100 API calls per minute' },
  month: { message: 'You are using a Trial key, which is limited to 1000 API calls / month.' },
  internal: { message: 'internal server error' },
};
const ERRORS = rows.meanings({
  upstream_rejected: '400 invalid',
  query_rejected: '400 tooLong, 498 blocked',
  upstream_auth_failed: '401 wrongKey',
  upstream_rate_limited: '429 rate',
  upstream_quota_exhausted: '429 month',
  upstream_error: '500 internal',
});

rows.testProvider(cohere, 'c0HereKeyForTests0123456789abcdefghijklm', {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    ...rerankFixtures(cohere, { reply: RANKS, cost: { usage: { searchUnits: 1 } }, upstreamRequestId: '07734bd2' }),
    ...embedFixtures(cohere, { reply: VECTORS, cost: { usage: { inputTokens: 8 } }, upstreamRequestId: 'da6e531f' }),
    ...rows.errorFixtures(RERANK, ERRORS, errors),
    ...rows.errorFixtures(EMBED, ERRORS, errors),
  ],
});

describe('cohere', () => {
  const provider = cohere({ apiKey: 'k' });

  it('asks for ranks', async () => {
    const { request } = await rerankOnce(provider, RERANK, RANKS, { topN: 1 });
    expect([request.url.href, request.headers]).toEqual([
      'https://api.cohere.com/v2/rerank',
      { authorization: 'Bearer k' },
    ]);
    const documents = ['It is open.', 'It is closed.'];
    expect(request.json).toEqual({ model: 'rerank-v4.0-fast', query: 'Is it open?', documents, top_n: 1 });
  });

  it.each([
    [undefined, 'search_document'],
    ['document', 'search_document'],
    ['query', 'search_query'],
  ] as const)('asks for vectors of texts with the role %s as %s', async (inputType, input_type) => {
    const { request } = await embedOnce(provider, EMBED, VECTORS, { inputType, dimensions: 512 });
    expect(request.url.href).toBe('https://api.cohere.com/v2/embed');
    expect(request.json).toEqual({
      model: 'embed-v4.0',
      texts: ['It is open.'],
      input_type,
      embedding_types: ['base64'],
      truncate: 'NONE',
      output_dimension: 512,
    });
  });

  it.each([
    ['the search units that it counts', RERANK, { ...RANKS, meta: { billed_units: { search_units: 3 } } }, '0.006'],
    ['a search unit where it counts none', RERANK, { results: ranksOf() }, '0.002'],
    [
      'the tokens of version 5',
      'cohere/rerank-v5.0-pro',
      { results: ranksOf(), meta: { billed_units: { input_tokens: 30 } } },
      '0.0000015',
    ],
  ])('charges %s', async (_what, model, reply, usd) => {
    expect((await rerankOnce(provider, model, reply)).charged[0]).toBe(usd);
  });

  it.each([undefined, { search_units: 1 }])('holds and charges 4,096 tokens by %o', async (billed_units) => {
    const documents = ['x'.repeat(100_000), 'Open.'];
    const [model] = provider.rerank!.models;
    const { likely, held } = rerankKind.askedUnits({ query: 'Is it open?', documents, topN: 2 })(model!);
    // Twice the query of 11 bytes, and a token for four bytes of the other document; in the hold a token a byte, with marks and prompts.
    expect([likely.tokens, held.tokens]).toEqual([4_096 + 2 * 3 + 2, 4_096 + 2 * (11 + 8) + 5 + 8 + 2 * 100]);
    const reply = { results: ranksOf(), meta: { billed_units } };
    expect((await rerankOnce(provider, model!.slug, reply, { documents })).charged[0]).toBe('0.0002052');
  });

  it('charges the tokens of vectors', async () => {
    expect((await embedOnce(provider, EMBED, VECTORS)).charged).toEqual(['0.00000096', 'computed']);
  });
});
