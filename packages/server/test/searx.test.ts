import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway, type GatewayEvent, isRequestError, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { startSearx } from '@searchgate-internal/test-servers';
import { afterAll, describe, expect, it } from 'vitest';
import { createProviders, type ProviderConfigs } from '../src/create-providers.js';

const KEY = 'a-secret-of-twenty-characters';

/** What the engines of searx ask: the path says which. */
const pages = createServer(({ url = '' }, res) => {
  const { pathname, searchParams } = new URL(url, 'http://pages');
  if (pathname === '/broken') return void res.writeHead(500).end();
  const found = [
    {
      url: 'https://example.org/zephyr',
      title: `${pathname}: ${searchParams.get('q')}`,
      content: 'Opened in <b>2021</b>.',
    },
    { url: 'https://example.org/traffic', title: 'Traffic', content: '' },
  ];
  res.writeHead(200).end(JSON.stringify({ results: searchParams.get('q') === 'nothing' ? [] : found }));
});
await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
const at = (path: string) => `http://127.0.0.1:${(pages.address() as AddressInfo).port}/${path}`;
const searx = await startSearx([
  { name: 'own', url: at('own'), category: 'general' },
  { name: 'papers', url: at('papers'), category: 'science' },
  { name: 'broken', url: at('broken'), category: 'files' },
]);
const note = 'reason' in searx ? ` (skipped: ${searx.reason})` : '';
afterAll(async () => {
  if ('stop' in searx) await searx.stop();
  pages.closeAllConnections();
  pages.close();
});

describe.skipIf(note !== '')(`a real searx${note}`, () => {
  async function search(settings: ProviderConfigs[string], query: string, options: object = {}) {
    const environment = { SEARXNG_BASE_URL: 'url' in searx ? searx.url : '' };
    const events: GatewayEvent[] = [];
    const ledger = memoryLedger();
    const gateway = createGateway({
      providers: createProviders(environment, { providers: { searxng: settings } }, []),
      ledger,
      apiKeys: memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', limit: '0' }]),
      maxAttempts: 1,
      onEvent: (event) => void events.push(event),
    });
    const found = await gateway
      .search({ apiKey: KEY, model: 'searxng/search', query, ...options })
      .catch((error: unknown) => (isRequestError(error) ? error.reason : error));
    await gateway.close();
    const { usage, held } = await ledger.organizationTotals('acme');
    expect([usage, held]).toEqual([0n, 0n]);
    return { found, details: events.flatMap((event) => ('detail' in event ? [event.detail] : [])) };
  }

  const found = (engine: string) => ({
    results: [
      { url: 'https://example.org/zephyr', title: `/${engine}: Zephyr`, snippet: 'Opened in 2021.' },
      { url: 'https://example.org/traffic', title: 'Traffic' },
    ],
    usage: { results: 2, cost: 0 },
  });

  it.each<[string, object, string, object]>([
    ['of the category of the instance', {}, 'own', {}],
    ['of an engine by its name', { engines: ['papers'] }, 'papers', {}],
    ['of a category', { categories: ['science'] }, 'papers', {}],
    ['in a language', {}, 'own', { search: { language: 'de' } }],
  ])('finds pages %s, free of charge', async (_what, settings, engine, options) => {
    expect((await search(settings as ProviderConfigs[string], 'Zephyr', options)).found).toMatchObject(found(engine));
  });

  it('finds nothing where there is nothing', async () => {
    expect((await search({}, 'nothing')).found).toMatchObject({ results: [] });
  });

  it.each<[string, object, string, string, object?]>([
    ['its engines failed', { engines: ['broken'] }, 'upstream_invalid_response', 'no answer of [["broken"'],
    [
      'it is asked at another path',
      { baseUrl: 'url' in searx ? `${searx.url}/about` : '' },
      'upstream_rejected',
      '<!DOCTYPE html>',
    ],
  ])('says so where %s', async (_what, settings, reason, detail) => {
    const { found: failed, details } = await search(settings, 'Zephyr');
    expect([failed, details.join(' ')]).toEqual([reason, expect.stringContaining(detail)]);
  });
});
