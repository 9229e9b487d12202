import { expect, it, vi } from 'vitest';
import type * as categories from '../src/catalog/categories.js';
import { openApiDocument } from '../src/http/openapi/open-api-document.js';
import type { Gateway } from '../src/index.js';
import type * as kindList from '../src/kinds/kinds.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { KEY, start } from './scripted-gateway.js';
import type { NewsCalls, NewsProvider } from './sixth-kind.js';

// The one line of each list.
vi.mock('../src/catalog/categories.js', async (original) => {
  const module = await original<typeof categories>();
  Object.assign(module.CATEGORY_FACTS, { news: { served: [] } });
  return { ...module, CATEGORIES: Object.keys(module.CATEGORY_FACTS) };
});
vi.mock('../src/kinds/kinds.js', async (original) => {
  const { listedKind } = await import('../src/kinds/kind.js');
  const { newsKind } = await import('./sixth-kind.js');
  const { KINDS, ...module } = await original<typeof kindList>();
  const kinds = { ...KINDS, news: listedKind(newsKind) };
  return { ...module, KINDS: kinds, KIND_LIST: Object.entries(kinds) };
});

const provider: NewsProvider = {
  id: 'stub',
  name: 'Stub',
  models: [],
  news: {
    models: [
      {
        slug: 'stub/news',
        name: 'News',
        description: 'Finds headlines.',
        prices: [{ kind: 'flat', request: '0.002', source: 'test', asOf: '2026-11-28', confidence: 'high' }],
        features: [],
        timeoutMs: 1_000,
      },
    ],
    news: ({ query }) => Promise.resolve({ headlines: [`${query} opens`], cost: {} }),
  },
};

const REPLY = {
  id: expect.stringMatching(/^nws_/) as string,
  model: 'stub/news',
  provider: 'stub',
  headlines: ['Zephyr Bridge opens'],
  usage: { headlines: 1, cost: 0.002 },
};

it('a sixth kind is one file, one line of each list and one port', async () => {
  const { gateway, ledger, events } = start([provider], {
    endpoints: { news: { defaultModel: 'stub/news' } } as object,
  });

  const response = await gateway.handle(requestOf('news', { body: { query: 'Zephyr Bridge' } }));
  expect([response?.status, JSON.parse(bodyText(response))]).toEqual([200, REPLY]);
  const { news } = gateway as Gateway & NewsCalls;
  expect(await news({ apiKey: KEY, query: 'Zephyr Bridge', tag: 'desk' })).toEqual(REPLY);
  await expect(news({ apiKey: KEY, query: '' })).rejects.toMatchObject({ reason: 'invalid_field', param: 'query' });

  expect(gateway.models({ callable: true })).toMatchObject([{ id: 'stub/news', category: 'news' }]);
  const { paths, components } = openApiDocument();
  expect(paths['/api/v1/news']).toMatchObject({ post: { operationId: 'news' } });
  expect(components['schemas']).toMatchObject({ News: {}, NewsRequest: {} });

  await gateway.close();
  expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 4_000_000n, held: 0n });
  const finished = events.filter(({ type }) => type === 'request_finished');
  expect(finished).toMatchObject(['news', 'news', 'news'].map((endpoint) => ({ endpoint })));
});
