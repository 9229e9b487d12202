import { describe, expect, it, onTestFinished } from 'vitest';
import { type Gateway, type GatewayOptions, memoryLedger } from '../src/index.js';
import {
  type FlatPrice,
  type ModelRow,
  type Provider,
  type ProviderExtract,
  type ProviderSearch,
  type SearchOutcome,
  UpstreamError,
} from '../src/provider-kit/index.js';
import { requestOf } from './ask-over-http.js';
import { bodyText } from './body-text.js';
import { failure, KEY, reasonOf, start } from './scripted-gateway.js';

const PROVENANCE = { source: 'test', asOf: '2026-11-26', confidence: 'high' } as const;
const PAGE = { url: 'https://example.org/zephyr', title: 'Zephyr' };

interface Pages {
  readonly price?: Partial<FlatPrice>;
  readonly maxResults?: number;
  readonly search?: (call: ProviderSearch) => Promise<SearchOutcome>;
}

/** A provider of pages: `<id>/web` finds one page for $0.005, and `<id>/read` reads each page for $0.001. */
function pagesOf(id: string, { price = { request: '0.005' }, maxResults = 20, search }: Pages = {}) {
  const calls: (ProviderSearch | ProviderExtract)[] = [];
  const row = (slug: string, prices: Partial<FlatPrice>): ModelRow => ({
    slug,
    name: slug,
    description: 'A provider of pages.',
    prices: [{ kind: 'flat', ...prices, ...PROVENANCE }],
    features: ['content', 'markdown'],
    searchTypes: ['web'],
    maxResults,
    contextLength: null,
    timeoutMs: 10_000,
  });
  const provider: Provider = {
    id,
    name: id,
    models: [],
    search: {
      models: [row(`${id}/web`, price)],
      search(call) {
        calls.push(call);
        return search?.(call) ?? Promise.resolve({ results: [PAGE], cost: {} });
      },
    },
    extract: {
      models: [row(`${id}/read`, { perPage: '0.001' })],
      maxUrls: 20,
      extract(call) {
        calls.push(call);
        const pages = call.urls.map((url) =>
          url.endsWith('/gone') ? { url, failed: 'page_not_found' as const } : { url, content: `text of ${url}` },
        );
        return Promise.resolve({ pages, cost: {} });
      },
    },
  };
  return { provider, calls };
}

/** A search over HTTP; `undefined` where the path is the host's. */
async function searchOverHttp({ handle }: Gateway, body: object, idempotencyKey?: string) {
  const response = await handle(requestOf('search', { headers: { 'idempotency-key': idempotencyKey }, body }));
  return response && [response.status, JSON.parse(bodyText(response))];
}

/** A gateway over these providers, and calls with its one key. */
function startPages(providers: readonly Provider[], options: Partial<GatewayOptions> & { credits?: string } = {}) {
  const scene = start(providers, { limit: null, ...options });
  const { gateway } = scene;
  onTestFinished(() => gateway.close());
  return {
    ...scene,
    search: (more: Partial<Parameters<typeof gateway.search>[0]> = {}) =>
      gateway.search({ apiKey: KEY, model: 'exa/web', query: 'Zephyr', ...more }),
    extract: (urls: readonly string[], more: Partial<Parameters<typeof gateway.extract>[0]> = {}) =>
      gateway.extract({ apiKey: KEY, model: 'exa/read', urls, ...more }),
  };
}

describe('a search in process', () => {
  it('has the body of HTTP, and shares its idempotency keys', async () => {
    const exa = pagesOf('exa');
    const { gateway, search } = startPages([exa.provider], { endpoints: { search: { defaultModel: 'exa/web' } } });
    const reply = await search({ model: undefined, idempotencyKey: 'order-17' });
    expect(reply).toMatchObject({
      object: 'search',
      model: 'exa/web',
      provider: 'exa',
      usage: { results: 1, cost: 0.005 },
    });
    expect(await searchOverHttp(gateway, { query: 'Zephyr' }, 'order-17')).toEqual([200, reply]);
    expect(exa.calls).toHaveLength(1);
  });

  it.each([
    [{ maxResults: 0 }, 'invalid_field'],
    [{ maxResults: 101 }, 'invalid_field'],
    [{ maxResults: 21 }, 'unsupported_option'],
    [{ search: { language: 'de' } }, 'unsupported_option'],
    [{ model: 'exa/read' }, 'model_category_mismatch'],
    [{ model: 'exa/none' }, 'model_not_found'],
    [{ numResults: 5 }, 'unsupported_field'],
    [{ stream: true }, 'unsupported_field'],
    [{ query: ['a', 'b'] as never }, 'invalid_field'],
  ])('with %j is refused as %s, and costs nothing', async (more, reason) => {
    const exa = pagesOf('exa');
    const { search, totals } = startPages([exa.provider]);
    expect(await reasonOf(search(more as Parameters<typeof search>[0]))).toBe(reason);
    expect([exa.calls.length, (await totals()).usage]).toEqual([0, 0n]);
  });
});

describe('the routes of a search', () => {
  it('fall back to another search model, and to no model of another category', async () => {
    const exa = pagesOf('exa', { search: () => Promise.reject(failure('upstream_error')) });
    const you = pagesOf('you');
    const { search } = startPages([exa.provider, you.provider], { fallbacks: { 'exa/web': ['you/web'] } });
    expect((await search()).model).toBe('you/web');
    expect(await reasonOf(search({ routing: { fallbacks: ['you/read'] } }))).toBe('model_category_mismatch');
  });

  it('sort a group by what the asked number of results costs', async () => {
    const exa = pagesOf('exa', { price: { request: '0.004', perResult: '0.001', includedResults: 10 } });
    const you = pagesOf('you', { price: { request: '0.006' } });
    const groups = { web: { models: ['exa/web', 'you/web'], sort: 'price' as const } };
    const { search } = startPages([exa.provider, you.provider], { groups });
    expect((await search({ model: 'web', maxResults: 12 })).model).toBe('exa/web');
    expect((await search({ model: 'web', maxResults: 13 })).model).toBe('you/web');
    expect(await reasonOf(search({ model: 'web', maxResults: 13, routing: { maxCost: '0.0055' } }))).toBe(
      'max_cost_exceeded',
    );
  });

  it('leave out the models of a group that cannot give so many results', async () => {
    const exa = pagesOf('exa', { maxResults: 10 });
    const you = pagesOf('you');
    const { search } = startPages([exa.provider, you.provider], {
      groups: { web: { models: ['exa/web', 'you/web'] } },
    });
    expect((await search({ model: 'web', maxResults: 15 })).model).toBe('you/web');
  });

  it.each([
    [{ fallbacks: { 'exa/web': ['exa/read'] } }, 'fallbacks["exa/web"][0]'],
    [{ groups: { mixed: { models: ['exa/web', 'exa/read'] } } }, 'groups["mixed"].models[1]'],
    [{ hedging: { 'exa/web': { afterMs: 100, with: 'exa/read', maxExtraCost: '0.01' } } }, 'hedging["exa/web"].with'],
    [{ endpoints: { search: { defaultModel: 'exa/read' } } }, 'endpoints.search.defaultModel'],
  ])('cannot join two categories: %j', (options, path) => {
    const { provider } = pagesOf('exa');
    expect(() => startPages([provider], options)).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ path })] }),
    );
  });
});

describe('what was found', () => {
  it('is cached for the same search alone', async () => {
    const exa = pagesOf('exa');
    const { search } = startPages([exa.provider], { cache: { ttlMs: 60_000 } });
    const first = await search();
    expect((await search({ query: ' Zephyr ' })).results).toEqual(first.results);
    expect(exa.calls).toHaveLength(1);
    for (const more of [
      { maxResults: 5 },
      { includeContent: true },
      { query: 'zephyr' },
      { cache: 'refresh' as const },
    ])
      await search(more);
    expect(exa.calls).toHaveLength(5);
  });

  it('of pages is never cached', async () => {
    const exa = pagesOf('exa');
    const { extract } = startPages([exa.provider], { cache: { ttlMs: 60_000 } });
    for (let calls = 0; calls < 2; calls += 1) await extract(['https://example.org/']);
    expect(exa.calls).toHaveLength(2);
  });

  it('is shared by calls at the same time, and charged to each', async () => {
    const exa = pagesOf('exa');
    const { search, extract, totals } = startPages([exa.provider], { coalescing: true });
    const replies = await Promise.all([search(), search(), search({ maxResults: 5 })]);
    expect(replies.map(({ usage }) => usage.cost)).toEqual([0.005, 0.005, 0.005]);
    await Promise.all([extract(['https://example.org/']), extract(['https://example.org/'])]);
    expect(exa.calls).toHaveLength(3);
    expect((await totals()).usage).toBe(17_000_000n);
  });
});

describe('the money of pages', () => {
  it('is held by what is asked, and charged by what came', async () => {
    const exa = pagesOf('exa');
    const { extract, totals } = startPages([exa.provider], { credits: '0.003' });
    expect(await reasonOf(extract(['a', 'b', 'c', 'd'].map((name) => `https://example.org/${name}`)))).toBe(
      'organization_credits_exhausted',
    );
    expect(exa.calls).toEqual([]);
    const { results, failed, usage } = await extract(['https://example.org/a', 'https://example.org/gone']);
    expect([results.length, failed, usage]).toEqual([
      1,
      [{ url: 'https://example.org/gone', reason: 'page_not_found' }],
      { pages: 1, cost: 0.001 },
    ]);
    expect((await totals()).usage).toBe(1_000_000n);
  });

  it('is nothing where no page could be read', async () => {
    const exa = pagesOf('exa');
    const { extract, totals } = startPages([exa.provider]);
    await expect(extract(['https://example.org/gone'])).rejects.toMatchObject({
      reason: 'no_page_extracted',
      details: { failed: [{ url: 'https://example.org/gone', reason: 'page_not_found' }] },
    });
    expect((await totals()).usage).toBe(0n);
  });

  it('of a search without results is what the provider says, also nothing', async () => {
    const search = () => Promise.resolve({ results: [], cost: { reported: 0n } });
    const { provider } = pagesOf('exa', { search });
    const scene = startPages([provider]);
    expect((await scene.search()).usage).toEqual({ results: 0, cost: 0 });
  });

  it('is charged once for a reply that is too large to be kept, and a repeated call is told so', async () => {
    const content = 'x'.repeat(200_000);
    const results = Array.from({ length: 10 }, (_, at) => ({ url: `https://example.org/${at}`, content }));
    const exa = pagesOf('exa', { search: () => Promise.resolve({ results, cost: {} }) });
    const { search, totals } = startPages([exa.provider]);
    const call = { includeContent: true, idempotencyKey: 'large' };
    expect((await search(call)).results).toHaveLength(10);
    await expect(search(call)).rejects.toMatchObject({
      reason: 'idempotency_result_too_large',
      status: 409,
      retryable: false,
    });
    expect([exa.calls.length, (await totals()).usage]).toEqual([1, 5_000_000n]);
  });

  it('books what a failed attempt has cost as a loss of the operator', async () => {
    const search = () => Promise.reject(new UpstreamError('upstream_error', { phase: 'body', cost: 3n }));
    const { provider } = pagesOf('exa', { search });
    const ledger = memoryLedger({ credits: { acme: '1.00' } });
    const scene = startPages([provider], { ledger, maxAttempts: 1 });
    expect(await reasonOf(scene.search())).toBe('upstream_error');
    const { entries } = await ledger.entries({ organizationId: 'acme' });
    expect(entries.filter(({ kind }) => kind === 'loss')).toMatchObject([{ amount: 3n, model: 'exa/web' }]);
  });

  it('books parts of an extract that timed out at their list price, as a loss of the operator', async () => {
    const { provider } = pagesOf('exa');
    const extract: Provider['extract'] = {
      ...provider.extract!,
      maxUrls: 2,
      extract(call, context) {
        if (!call.urls[0]?.endsWith('/a')) return provider.extract!.extract(call, context);
        return Promise.reject(new UpstreamError('upstream_timeout', { phase: 'body' }));
      },
    };
    const ledger = memoryLedger({ credits: { acme: '1.00' } });
    const scene = startPages([{ ...provider, extract }], { ledger });
    const { usage } = await scene.extract(['a', 'b', 'c'].map((name) => `https://example.org/${name}`));
    expect(usage).toEqual({ pages: 1, cost: 0.001 });
    const { entries } = await ledger.entries({ organizationId: 'acme' });
    const about = { model: 'exa/read', provider: 'exa' };
    expect(entries.filter(({ kind }) => kind !== 'grant')).toMatchObject([
      { kind: 'loss', amount: 2_000_000n, reason: 'upstream_timeout', ...about },
      { kind: 'charge', amount: 1_000_000n, ...about },
    ]);
  });
});
