import { providerConformance } from '@searchgate/testing';
import { describe, it } from 'vitest';
import { handbook } from './handbook.js';

const secret = 'a-key-that-occurs-nowhere-else';
providerConformance({
  describe,
  it,
  secret,
  create: (baseUrl, limits) => handbook({ apiKey: secret, baseUrl, ...limits }),
  evidence: { reply: 'valid JSON' },
  fixtures: [
    {
      name: 'an answer with a source',
      model: 'handbook/answer',
      reply: { answer: 'Thirty days [1].', sources: [{ url: 'https://example.org/leave', title: 'Leave' }] },
      answer: { text: 'Thirty days [1].', citations: [{ url: 'https://example.org/leave', title: 'Leave' }], cost: {} },
    },
    {
      kind: 'search',
      name: 'a page',
      model: 'handbook/search',
      reply: { sources: [{ url: 'https://example.org/leave', title: 'Leave' }] },
      outcome: { results: [{ url: 'https://example.org/leave', title: 'Leave' }], cost: {} },
    },
  ],
});
