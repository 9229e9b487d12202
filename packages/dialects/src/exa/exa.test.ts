import { describe, expect, it } from 'vitest';
import { formAsker } from '../../test/form-asker.js';
import { TITLE, URL } from '../../test/retrieval-provider.js';
import { beginning } from '../forms/values.js';
import { exa } from './exa.js';

const MODELS = { search: 'house/search', extract: 'house/extract', answer: 'house/answer' };
const ask = formAsker({ exa: exa(MODELS) });
const search = (body: object) => ask({ path: '/api/v1/exa/search', body: { query: 'Zephyr Bridge', ...body } });
const RESULT = { id: URL, url: URL, title: TITLE, publishedDate: '2021-05-14', author: null, score: null };

it('a search has the form of Exa, and is charged once', async () => {
  const { status, body, spent, event, seen } = await search({ contents: { text: { maxCharacters: 9 } } });
  expect(body).toEqual({
    requestId: expect.stringMatching(/^sch_/) as string,
    results: [{ ...RESULT, text: 'The whole' }],
    costDollars: { total: 0.005 },
  });
  expect([status, spent, event.endpoint]).toEqual([200, 0.005, 'exa_search']);
  expect(seen).toMatchObject({ maxResults: 10, includeContent: true });
});

it.each<[object, object]>([
  [
    { numResults: 3, type: 'neural', useAutoprompt: true },
    { maxResults: 3, includeContent: false },
  ],
  [{ contents: { text: true } }, { includeContent: true, maxContentCharacters: undefined }],
  [{ contents: { text: { maxCharacters: 9.5 } } }, { includeContent: true, maxContentCharacters: 9 }],
  [{ contents: { text: { maxCharacters: 1e9 } } }, { includeContent: true, maxContentCharacters: undefined }],
  [{ category: 'news' }, { search: { topic: 'news' } }],
  [{ contents: false }, { includeContent: false }],
  [{ contents: { highlights: true, livecrawl: 'never' } }, { includeContent: false }],
  [{ includeDomains: ['example.com'] }, { search: { includeDomains: ['example.com'] } }],
  [
    { startPublishedDate: '2021-01-01T00:00:00.000Z', endPublishedDate: '2021-12-31' },
    { search: { publishedAfter: '2021-01-01', publishedBefore: '2021-12-31' } },
  ],
  [{ userLocation: 'us', moderation: false, stream: false, category: null }, { search: { country: 'US' } }],
])('%j is asked as %j', async (body, seen) => {
  const { status, seen: asked } = await search(body);
  expect([status, asked]).toMatchObject([200, seen]);
});

it('a text is not cut through a character', () => {
  expect([beginning('ab😀', 3), beginning('ab😀', 4), beginning('ab', 9)]).toEqual(['ab', 'ab😀', 'ab']);
});

it('highlights are the snippet', async () => {
  const { body } = await search({ contents: { highlights: true } });
  expect(body).toMatchObject({ results: [{ ...RESULT, highlights: ['Opened.'] }] });
});

it.each<[object, string]>([
  [{ query: ' ' }, 'query'],
  [{ numResults: 101 }, 'numResults'],
  [{ includeDomains: ['no host'] }, 'includeDomains'],
  [{ startPublishedDate: 'soon' }, 'startPublishedDate'],
  [{ category: 'company' }, 'category'],
  [{ contents: { summary: true } }, 'contents.summary'],
  [{ contents: { text: { includeHtmlTags: true } } }, 'contents.text.includeHtmlTags'],
  [{ contents: { text: { maxCharacters: 0 } } }, 'contents.text.maxCharacters'],
  [{ contents: 'text' }, 'contents'],
  [{ stream: true }, 'stream'],
  [{ userLocation: 'atlantis' }, 'userLocation'],
  [{ numResult: 3 }, 'numResults'],
])('%j is refused by name, and nothing is charged', async (wrong, field) => {
  const { status, body, seen, spent } = await search(wrong);
  expect([status, seen, spent]).toEqual([400, undefined, 0]);
  expect(body).toEqual({
    error: expect.stringContaining(field) as string,
    tag: expect.stringMatching(/^(?:INVALID|UNSUPPORTED)_FIELD$/) as string,
    requestId: expect.any(String) as string,
  });
});

it('the key may come in x-api-key, as exa-js sends it', async () => {
  const request = { path: '/api/v1/exa/search', body: { query: 'Zephyr Bridge' } };
  expect((await ask({ ...request, headers: { 'x-api-key': 'sk-test' } })).status).toBe(200);
  const { status, body } = await ask({ ...request, headers: { 'x-api-key': 'sk-other' } });
  expect([status, body]).toMatchObject([401, { error: expect.any(String) as string, tag: 'NOT_AUTHENTICATED' }]);
});

it('contents name the pages that were read, and those that were not', async () => {
  const body = { urls: [URL, 'https://example.org/gone'], text: { maxCharacters: 9 } };
  const { body: reply, spent } = await ask({ path: '/api/v1/exa/contents', body });
  expect(reply).toMatchObject({
    results: [{ id: URL, text: 'The whole', author: null }],
    statuses: [
      { id: URL, status: 'success' },
      { id: 'https://example.org/gone', status: 'error', error: { tag: 'page_not_found' } },
    ],
  });
  expect(spent).toBe(0.005);
  expect((await ask({ path: '/api/v1/exa/contents', body: { ids: [URL] } })).status).toBe(200);
});

describe('an answer', () => {
  const answer = (body: object) => ask({ path: '/api/v1/exa/answer', body: { query: 'When?', ...body } });

  it('comes whole', async () => {
    const { body, spent } = await answer({ model: 'exa', text: false });
    const citations = [{ id: URL, url: URL, title: TITLE, text: 'Opened.' }];
    expect(body).toMatchObject({ answer: 'In 2021 [1].', citations, costDollars: { total: 0.005 } });
    expect(spent).toBe(0.005);
  });

  it('comes as events that exa-js reads', async () => {
    const { body, event } = await answer({ stream: true });
    const events = String(body).split('\n\n').slice(0, -1);
    expect(events.at(-1)).toBe('data: [DONE]');
    const parts = events.slice(0, -1).map((each) => JSON.parse(each.replace(/^data: /, '')) as Part);
    expect(parts.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')).toBe('In 2021 [1].');
    expect(parts.at(-1)).toMatchObject({ citations: [{ url: URL }], costDollars: { total: 0.005 } });
    expect(event.endpoint).toBe('exa_answer');
  });

  it('is an object where a schema is given', async () => {
    const { body } = await answer({ outputSchema: { type: 'object' } });
    expect(body).toMatchObject({ answer: { year: 2021 } });
  });

  it.each([
    [{ systemPrompt: 'Rhyme.' }, { instructions: 'Rhyme.' }],
    [{ systemPrompt: '' }, {}],
    [{ systemPrompt: null }, {}],
  ])('follows the instructions in %j', async (fields, expected) => {
    expect((await answer(fields)).seen).toEqual({ port: 'answer', query: expect.any(String) as string, ...expected });
  });

  it.each([{ systemPrompt: 7 }, { text: true }, { query: '' }, { outputSchema: 'year' }])(
    '%j is refused, and nothing is charged',
    async (wrong) => {
      const { status, spent, body } = await answer(wrong);
      expect([status, spent, body]).toMatchObject([
        400,
        0,
        { error: expect.stringContaining(Object.keys(wrong)[0] ?? '') as string },
      ]);
    },
  );
});

interface Part {
  readonly choices?: readonly { readonly delta: { readonly content: string } }[];
  readonly citations?: readonly unknown[];
}
