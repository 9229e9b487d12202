import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { everyPort } from '../../testing/test/every-port.js';
import type * as categories from '../src/catalog/categories.js';
import type { Gateway } from '../src/index.js';
import type * as kindList from '../src/kinds/kinds.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import type { NewsCalls, NewsProvider } from './sixth-kind.js';

/** With the one line of each list. Test files share their modules, so that these are loaded for this file alone. */
beforeAll(() => {
  vi.resetModules();
  vi.doMock('../src/catalog/categories.js', async (original) => {
    const module = await original<typeof categories>();
    Object.assign(module.CATEGORY_FACTS, { news: { served: [] } });
    return { ...module, CATEGORIES: Object.keys(module.CATEGORY_FACTS) };
  });
  vi.doMock('../src/kinds/kinds.js', async (original) => {
    const [{ listedKind }, { newsKind }] = await Promise.all([
      import('../src/kinds/kind.js'),
      import('./sixth-kind.js'),
    ]);
    const { KINDS, ...module } = await original<typeof kindList>();
    const kinds = { ...KINDS, news: listedKind(newsKind) };
    return { ...module, KINDS: kinds, KIND_LIST: Object.entries(kinds) };
  });
});

afterAll(() => {
  for (const path of ['../src/catalog/categories.js', '../src/kinds/kinds.js']) vi.doUnmock(path);
  vi.resetModules();
});

const provider: NewsProvider = {
  id: 'stub',
  name: 'Stub',
  models: [],
  news: {
    models: [{ ...everyPort.search!.models[0]!, slug: 'stub/news' }],
    news: ({ query }) => Promise.resolve({ headlines: [`${query} opens`], cost: {} }),
  },
};

const REPLY = {
  id: expect.stringMatching(/^nws_/) as string,
  model: 'stub/news',
  provider: 'stub',
  headlines: ['Zephyr Bridge opens'],
  usage: { headlines: 1, cost: 0.001 },
};

it('a sixth kind is one file, one line of each list and one port', async () => {
  const { KEY, start } = await import('./scripted-gateway.js');
  const { openApiDocument } = await import('../src/http/openapi/open-api-document.js');
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
  expect(await ledger.organizationTotals('acme')).toMatchObject({ usage: 2_000_000n, held: 0n });
  const finished = events.filter(({ type }) => type === 'request_finished');
  expect(finished).toMatchObject(['news', 'news', 'news'].map((endpoint) => ({ endpoint })));
});
