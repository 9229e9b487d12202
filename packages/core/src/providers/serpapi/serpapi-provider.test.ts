import { describe, expect, it } from 'vitest';
import { fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { type SerpapiSettings, serpapi } from './serpapi-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const PLAIN = { engine: 'google', q: 'Is it open?', api_key: 'k' };

type Call = Parameters<typeof searchOnce>[3];

async function parametersOf(settings: Partial<SerpapiSettings>, call: Call) {
  const provider = serpapi({ apiKey: 'k', ...settings });
  const { request } = await searchOnce(provider, 'serpapi/google', fixture('search'), call);
  expect([request.method, request.url.origin + request.url.pathname]).toEqual([
    'GET',
    'https://serpapi.com/search.json',
  ]);
  return Object.fromEntries(request.url.searchParams);
}

describe('the search of serpapi', () => {
  it.each<[string, Call, object]>([
    ['a page of results, whatever number of them is wanted', { maxResults: 3 }, {}],
    [
      'one site, a range of days, a country and a language',
      {
        search: {
          includeDomains: ['example.org'],
          days: { first: '2026-01-31', last: '2026-02-28' },
          country: 'DE',
          language: 'fr',
        },
      },
      { as_sitesearch: 'example.org', tbs: 'cdr:1,cd_min:01/31/2026,cd_max:02/28/2026', gl: 'de', lr: 'lang_fr' },
    ],
    [
      'the last week without a site',
      { search: { excludeDomains: ['example.com'], freshness: 'week' } },
      { as_sitesearch: 'example.com', as_dt: 'e', tbs: 'qdr:w' },
    ],
  ])('asks for %s', async (_what, call, parameters) => {
    expect(await parametersOf({}, call)).toEqual({ ...PLAIN, ...parameters });
  });

  it('asks from the configured place, unless the caller names a country', async () => {
    const settings = { country: 'at', language: 'de', location: 'Graz, Austria', cache: false };
    const place = { hl: 'de', location: 'Graz, Austria', no_cache: 'true' };
    expect(await parametersOf(settings, {})).toEqual({ ...PLAIN, ...place, gl: 'at' });
    expect(await parametersOf(settings, { search: { country: 'DE' } })).toEqual({ ...PLAIN, ...place, gl: 'de' });
  });

  it.each([
    ['a page of results', {}, 'search', '0.015'],
    ['a page without results', {}, 'search-none', '0.015'],
    ['a search of another plan', { usdPerSearch: '0.01' }, 'search', '0.01'],
  ])('charges a search for %s', async (_what, settings, reply, usd) => {
    const provider = serpapi({ apiKey: 'k', ...settings });
    expect((await searchOnce(provider, 'serpapi/google', fixture(reply))).charged).toEqual([usd, 'flat']);
  });
});
