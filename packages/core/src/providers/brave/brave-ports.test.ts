import { describe, expect, it } from 'vitest';
import { fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { type BraveSettings, brave } from './brave-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const withSettings = (settings: Partial<BraveSettings> = {}) => brave({ apiKey: 'k', ...settings });

const WEB = 'brave/web';
const CONTEXT = 'brave/llm-context';

const asked = async (slug: string, call: object = {}, settings: Partial<BraveSettings> = {}) => {
  const reply = fixture(slug === WEB ? 'web' : 'context');
  return (await searchOnce(withSettings(settings), slug, reply, call)).request;
};

describe('a search of Brave', () => {
  it('of the web is a POST without marks in its texts', async () => {
    const { method, url, headers, json } = await asked(WEB, { maxResults: 20 });
    expect([method, url.href]).toEqual(['POST', 'https://api.search.brave.com/res/v1/web/search']);
    expect(headers).toEqual({ 'x-subscription-token': 'k' });
    expect(json).toEqual({ q: 'Is it open?', count: 20, result_filter: 'web', text_decorations: false });
  });

  it('for passages asks for as many pages, and for the most text where content is wanted', async () => {
    const { method, url, json } = await asked(CONTEXT, { maxResults: 50 });
    expect([method, url.href]).toEqual(['POST', 'https://api.search.brave.com/res/v1/llm/context']);
    expect(json).toEqual({ q: 'Is it open?', count: 50, maximum_number_of_urls: 50 });
    const call = { maxResults: 5, includeContent: true };
    const { request, charged } = await searchOnce(withSettings(), CONTEXT, fixture('context'), call);
    expect(request.json).toEqual({
      q: 'Is it open?',
      count: 5,
      maximum_number_of_urls: 5,
      maximum_number_of_tokens: 32_768,
      maximum_number_of_tokens_per_url: 8_192,
    });
    expect(charged).toEqual(['0.005', 'flat']);
  });

  it.each([
    [{ freshness: 'day' }, { freshness: 'pd' }],
    [{ freshness: 'week' }, { freshness: 'pw' }],
    [{ freshness: 'month' }, { freshness: 'pm' }],
    [{ freshness: 'year' }, { freshness: 'py' }],
    [{ days: { first: '2026-01-01', last: '2026-02-01' } }, { freshness: '2026-01-01to2026-02-01' }],
    [{ country: 'DE' }, { country: 'DE' }],
    [{ language: 'de' }, { search_lang: 'de' }],
    [{ language: 'ja' }, { search_lang: 'jp' }],
  ])('of the web narrows by %o', async (search, fields) => {
    expect((await asked(WEB, { search })).json).toMatchObject(fields);
  });

  it('has the settings, unless the caller asks otherwise', async () => {
    const settings = { country: 'ALL', language: 'ja', safesearch: 'strict' } as const;
    expect((await asked(WEB, {}, settings)).json).toMatchObject({
      country: 'ALL',
      search_lang: 'jp',
      safesearch: 'strict',
    });
    const search = { country: 'FR', language: 'fr' };
    const { json } = await asked(CONTEXT, { search }, settings);
    expect(json).toMatchObject({ country: 'FR', search_lang: 'fr' });
    expect(json).not.toHaveProperty('safesearch');
  });

  it('has the key of the plan Search', async () => {
    const { headers } = await asked(WEB, {}, { searchApiKey: 'search-key' });
    expect(headers).toEqual({ 'x-subscription-token': 'search-key' });
  });

  it('costs the same where nothing was found', async () => {
    const { charged } = await searchOnce(withSettings(), WEB, fixture('web-none'));
    expect(charged).toEqual(['0.005', 'flat']);
  });

  it.each(['x'.repeat(401), 'word '.repeat(51)])('with a query that Brave would refuse is not sent', async (query) => {
    await expect(asked(WEB, { query })).rejects.toMatchObject({ reason: 'query_rejected', phase: 'connect' });
  });

  it('takes 50 words', async () => {
    const query = ` ${'word '.repeat(50)}`;
    expect((await asked(WEB, { query })).json).toMatchObject({ q: query });
  });

  it('refuses a key that cannot be sent', () => {
    expect(() => withSettings({ searchApiKey: 'a b' })).toThrow('brave.searchApiKey: found');
  });
});
