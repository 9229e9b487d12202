import { describe, expect, it } from 'vitest';
import { rerankOnce } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { ranksOf, rerankFixtures } from '../../../test/retrieval-rows.js';
import { contextual } from './contextual-provider.js';

const RERANK = 'contextual/ctxl-rerank-v2-instruct-multilingual';
const RANKS = { results: ranksOf() };
const errors = {
  wrongKey: { detail: 'Invalid API key' },
  invalid: { detail: [{ loc: ['body', 'top_n'], msg: 'Input should be greater than 0', type: 'greater_than' }] },
  tooLong: { detail: 'The request exceeds 400,000 tokens.' },
  rate: { detail: 'Rate limit exceeded' },
  internal: { detail: 'Internal Server Error' },
};
const ERRORS: readonly rows.ErrorRow[] = [
  [401, 'wrongKey', 'upstream_auth_failed'],
  [422, 'invalid', 'upstream_rejected'],
  [400, 'tooLong', 'query_rejected'],
  [429, 'rate', 'upstream_rate_limited'],
  [500, 'internal', 'upstream_error'],
];

rows.testProvider(contextual, 'key-Q29udGV4dHVhbEtleUZvclRlc3RzMDEyMzQ1', {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } },
  evidence: { reply: 'valid JSON' },
  fixtures: [...rerankFixtures(contextual, { reply: RANKS, cost: {} }), ...rows.errorFixtures(RERANK, ERRORS, errors)],
});

describe('contextual', () => {
  const provider = contextual({ apiKey: 'k' });

  it('asks for ranks', async () => {
    const { request } = await rerankOnce(provider, RERANK, RANKS, { topN: 1 });
    expect([request.url.href, request.headers]).toEqual([
      'https://api.contextual.ai/v1/rerank',
      { authorization: 'Bearer k' },
    ]);
    const model = 'ctxl-rerank-v2-instruct-multilingual';
    const documents = ['It is open.', 'It is closed.'];
    expect(request.json).toEqual({ model, query: 'Is it open?', documents, top_n: 1 });
  });

  it('charges an estimate, because it counts nothing', async () => {
    // Two queries of 11 bytes, and documents of 11 and 13 bytes: 3 + 3 + 3 + 4 tokens.
    expect((await rerankOnce(provider, RERANK, RANKS)).charged).toEqual(['0.00000065', 'computed']);
  });
});
