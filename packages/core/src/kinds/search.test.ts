import { describe, expect, it } from 'vitest';
import { pageScope } from '../base/search-options/page-scope.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { Provider, ProviderSearch, SearchResult } from '../provider-kit/provider.js';
import type { AttemptContext } from './kind-call.js';
import { type SearchInput, searchKind } from './search.js';

const INPUT: SearchInput = { query: 'Zephyr', maxResults: 10, includeContent: false };
const model = { slug: 'exa/auto', maxResults: 20 } as ProviderSearch['model'];

/** What callers get of these results. */
async function found(
  results: unknown,
  input: Partial<SearchInput> = {},
  includeDomains?: readonly string[],
  ofModel = model,
) {
  const calls: ProviderSearch[] = [];
  const search = {
    models: [],
    search(call: ProviderSearch) {
      calls.push(call);
      return Promise.resolve({ results: results as SearchResult[], cost: { reported: 7n }, upstreamRequestId: 'r' });
    },
  };
  const provider: Provider = { id: 'exa', name: 'Exa', models: [], search };
  const options = includeDomains && { includeDomains };
  const facts = {} as CallableModel['facts'];
  const asked = {
    model: ofModel,
    facts,
    input: { ...INPUT, ...input },
    search: options,
    scope: pageScope(options, undefined),
  };
  const context = { ask: (send) => send(context), citationsDropped: (_count: object) => undefined } as AttemptContext;
  const outcome = await searchKind.ask(provider, asked, context);
  return { call: calls[0], outcome, pages: outcome.value };
}

describe('a search', () => {
  it('hands the call over, and the cost and the id of the reply back', async () => {
    const input = { maxResults: 3, includeContent: true };
    const { call, outcome } = await found([], input, ['a.org']);
    expect(call).toEqual({ model, query: 'Zephyr', ...input, search: { includeDomains: ['a.org'] } });
    expect(outcome).toEqual({ value: [], cost: { reported: 7n }, upstreamRequestId: 'r' });
  });

  it('gives a result in full', async () => {
    const kept = { url: 'https://a.org/', snippet: 's', content: 'c', score: 0.5 };
    const result = { ...kept, title: 'A &amp; B', date: 'Nov 2, 2026', lastUpdated: '2026-11-03T00:00:00Z' };
    const { pages } = await found([result], { includeContent: true });
    expect(pages).toEqual([{ ...kept, title: 'A & B', date: '2026-11-02', last_updated: '2026-11-03' }]);
  });

  it('gives a result of which only the address is known', async () => {
    const nothing = { snippet: '', content: null, date: null, last_updated: null, score: null };
    const results = [{ url: 'https://a.org/x' }, { url: 'https://b.org/', title: null, score: Number.NaN }];
    expect((await found(results)).pages).toEqual([
      { title: 'a.org', url: 'https://a.org/x', ...nothing },
      { title: 'b.org', url: 'https://b.org/', ...nothing },
    ]);
  });

  it('cuts the text of a page between characters, and nothing else', async () => {
    const results = [{ url: 'https://a.org/', snippet: 'long enough', content: 'ab😀cd' }];
    const cut = async (maxContentCharacters: number) =>
      (await found(results, { includeContent: true, maxContentCharacters })).pages[0];
    expect(await cut(3)).toMatchObject({ snippet: 'long enough', content: 'ab😀' });
    expect([(await cut(2))?.content, (await cut(99))?.content]).toEqual(['ab', 'ab😀cd']);
  });

  it('takes the beginning of the one text that a vendor has as the snippet, and the text only where it is wanted', async () => {
    const results = [{ url: 'https://a.org/', content: 'x'.repeat(300_000) }];
    const [short] = (await found(results)).pages;
    expect([short?.snippet.length, short?.content]).toEqual([4_000, null]);
    const [long] = (await found(results, { includeContent: true })).pages;
    expect([long?.snippet.length, long?.content?.length]).toEqual([4_000, 200_000]);
  });

  it('drops what is no page of the web, what comes twice, and what is too much, in the order of the vendor', async () => {
    const hosts = ['b', 'c', 'd'].map((name) => `https://${name}.org/`);
    const urls = ['ftp://a.org/', 'https://a.org', 'https://a.org/', null, ...hosts];
    const { pages } = await found([null, 'text', ...urls.map((url) => ({ url }))], { maxResults: 3 });
    expect(pages.map(({ url }) => url)).toEqual(['https://a.org/', 'https://b.org/', 'https://c.org/']);
  });

  it('drops pages outside of the asked domains, whatever the vendor did with its filter', async () => {
    const results = ['https://www.a.org/', 'https://b.org/'].map((url) => ({ url }));
    expect((await found(results, {}, ['a.org'])).pages.map(({ url }) => url)).toEqual(['https://www.a.org/']);
  });

  it.each([undefined, null, 'none', {}])('refuses %j in place of results', async (results) => {
    const unusable = { reason: 'upstream_invalid_response', phase: 'shape', cost: 7n };
    await expect(found(results)).rejects.toMatchObject(unusable);
  });

  it.each([
    [{ maxResults: 20 }, undefined],
    [{ maxResults: 21 }, 'maxResults'],
    [{ includeContent: true }, 'includeContent'],
  ])('of %j at a model of 20 results without content: %s', (input, field) => {
    const large = { facts: { maxResults: 20, features: ['highlights'] }, model } as unknown as CallableModel;
    expect(searchKind.unsupportedField({ ...INPUT, ...input }, large)).toBe(field);
  });

  it('of the default size is served by a model of fewer results', async () => {
    const small = { facts: { maxResults: 5, features: [] }, model } as unknown as CallableModel;
    expect(searchKind.unsupportedField(INPUT, small)).toBeUndefined();
    expect(searchKind.unsupportedField({ ...INPUT, maxResults: 11 }, small)).toBe('maxResults');
    const { call } = await found([], {}, undefined, { ...model, maxResults: 5 });
    expect(call?.maxResults).toBe(5);
  });

  it('is held and charged by what is asked for; nothing found is charged for no result', () => {
    const input = { ...INPUT, maxResults: 20, includeContent: true };
    const { likely, held } = searchKind.askedUnits(input)(model);
    expect([likely, held]).toEqual([{ results: 20, pages: 20 }, likely]);
    expect(searchKind.askedUnits(INPUT)(model).held).toEqual({ results: 10, pages: 0 });
    expect(searchKind.billedUnits([], likely)).toEqual({ results: 0, pages: 0 });
  });
});
