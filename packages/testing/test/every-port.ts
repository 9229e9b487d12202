import type { FlatPrice, ModelRow, Provider } from '@searchgate/core/provider-kit';

const URL = 'https://example.org/zephyr';

const row = (slug: string, price: Partial<FlatPrice>): ModelRow => ({
  slug,
  name: slug,
  description: 'A model.',
  prices: [{ kind: 'flat', ...price, source: 'test', asOf: '2026-11-27', confidence: 'high' }],
  features: [],
  contextLength: null,
  timeoutMs: 1_000,
});

/** A provider of everything but answers. Each call is about one text, and costs $0.001. */
export const everyPort: Provider = {
  id: 'stub',
  name: 'Stub',
  models: [],
  search: {
    models: [row('stub/web', { request: '0.001' })],
    search: () => Promise.resolve({ results: [{ url: URL, title: 'Zephyr' }], cost: {} }),
  },
  extract: {
    models: [row('stub/read', { perPage: '0.001' })],
    maxUrls: 20,
    extract: () => Promise.resolve({ pages: [{ url: URL, content: 'Opened.' }], cost: {} }),
  },
  rerank: {
    models: [row('stub/rank', { perSearchUnit: '0.001' })],
    rerank: () => Promise.resolve({ ranks: [{ index: 0, score: 0.9 }], cost: { usage: { searchUnits: 1 } } }),
  },
  embed: {
    models: [row('stub/embed', { perMillionTokens: '100' })],
    maxInputs: 8,
    embed: () =>
      Promise.resolve({ embeddings: [{ index: 0, vector: [0.5, 0.25] }], cost: { usage: { inputTokens: 10 } } }),
  },
};

/** The models of {@link everyPort}, with the fields of a call, by the endpoint of the call's event. */
export const CALLS = {
  search: { model: 'stub/web', query: 'Zephyr' },
  extract: { model: 'stub/read', urls: [URL] },
  rerank: { model: 'stub/rank', query: 'Zephyr', documents: ['Opened.'] },
  embeddings: { model: 'stub/embed', input: 'Zephyr' },
} as const;
