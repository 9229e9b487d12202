import { describe, expect, it } from 'vitest';
import { extractOnce, fixturesIn, searchOnce } from '../../../test/ask-once.js';
import { exa } from './exa-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const provider = exa({ apiKey: 'k' });
const PLAIN = { query: 'Is it open?', type: 'auto', numResults: 10, contents: { highlights: true } };

describe('the search of exa', () => {
  it.each<[string, Parameters<typeof searchOnce>[3], object]>([
    ['ten pages', {}, PLAIN],
    ['another number of pages', { maxResults: 3 }, { ...PLAIN, numResults: 3 }],
    ['the text of pages', { includeContent: true }, { ...PLAIN, contents: { highlights: true, text: true } }],
    [
      'the beginning of the text',
      { includeContent: true, maxContentCharacters: 9 },
      { ...PLAIN, contents: { highlights: true, text: { maxCharacters: 9 } } },
    ],
    [
      'search options',
      {
        search: {
          includeDomains: ['example.org'],
          country: 'DE',
          publishedAfter: '2026-01-31',
          publishedBefore: '2026-02-28',
        },
      },
      {
        ...PLAIN,
        includeDomains: ['example.org', '*.example.org'],
        startPublishedDate: '2026-01-31T00:00:00.000Z',
        endPublishedDate: '2026-02-28T23:59:59.999Z',
        userLocation: 'DE',
      },
    ],
  ])('asks for %s', async (_what, call, json) => {
    const { request } = await searchOnce(provider, 'exa/auto', fixture('search'), call);
    expect([request.url.href, request.json]).toEqual(['https://api.exa.ai/search', json]);
  });

  it.each(['neural', 'lite', 'fast', 'deep'])('asks for the type %s by its model', async (type) => {
    const { request } = await searchOnce(provider, `exa/${type}`, fixture('search'));
    expect(request.json).toEqual({ ...PLAIN, type });
  });

  it.each([
    ['what is reported', 'search', 10, '0.007', 'reported'],
    ['ten pages by the list', 'search-nulls', 10, '0.007', 'flat'],
    ['each further page by the list', 'search-nulls', 12, '0.009', 'flat'],
  ])('costs %s', async (_what, reply, maxResults, ...charged) => {
    expect((await searchOnce(provider, 'exa/auto', fixture(reply), { maxResults })).charged).toEqual(charged);
  });
});

describe('the extract of exa', () => {
  it('asks for the text of pages', async () => {
    const urls = ['https://example.org/a', 'https://example.org/b'];
    const { request, charged } = await extractOnce(provider, 'exa/contents', fixture('contents-nulls'), { urls });
    expect([request.url.href, request.json]).toEqual(['https://api.exa.ai/contents', { urls, text: true }]);
    expect(charged).toEqual(['0.002', 'flat']);
  });
});
