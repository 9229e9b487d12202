import { expect, it } from 'vitest';
import { formAsker } from '../../test/form-asker.js';
import { TITLE, URL } from '../../test/retrieval-provider.js';
import { searxng } from './searxng.js';

const ask = formAsker({ searxng: searxng({ search: 'house/search' }) });
const search = (query: string, method = 'GET') => ask({ method, path: `/api/v1/searxng/search?${query}` });

it.each(['GET', 'POST'])('a search by %s has the form of SearXNG, and is charged once', async (method) => {
  const { status, body, spent, event } = await search('q=Zephyr+Bridge&format=json&pageno=1', method);
  expect(body).toEqual({
    query: 'Zephyr Bridge',
    number_of_results: 1,
    results: [
      {
        url: URL,
        title: TITLE,
        content: 'Opened.',
        engine: 'searchgate',
        category: 'general',
        score: 1,
        publishedDate: '2021-05-14',
      },
    ],
    answers: [],
    corrections: [],
    infoboxes: [],
    suggestions: [],
    unresponsive_engines: [],
    cost: 0.005,
  });
  expect([status, spent, event.endpoint]).toEqual([200, 0.005, 'searxng_search']);
});

it.each<[string, object]>([
  ['language=de-DE', { search: { language: 'de' } }],
  ['language=all&safesearch=1&image_proxy=true&theme=simple&categories=general&engines=', { search: undefined }],
  ['time_range=day', { search: { freshness: 'day' } }],
  ['categories=news', { search: { topic: 'news' } }],
  ['time_range=', { search: undefined }],
  ['numResults=3', { maxResults: 3 }],
])('%s is asked as %j', async (query, seen) => {
  expect((await search(`q=Zephyr&${query}`)).seen).toMatchObject(seen);
});

it.each([
  ['format=json', 'q'],
  ['q=', 'q'],
  ['q=Zephyr&format=rss', 'format'],
  ['q=Zephyr&pageno=2', 'pageno'],
  ['q=Zephyr&time_range=hour', 'time_range'],
  ['q=Zephyr&categories=images', 'categories'],
  ['q=Zephyr&language=klingon', 'language'],
])('%s is refused by name, and nothing is charged', async (query, field) => {
  const { status, body, seen, spent } = await search(query);
  expect([status, seen, spent]).toEqual([400, undefined, 0]);
  expect(body).toMatchObject({ error: expect.stringMatching(new RegExp(`\\b${field}\\b`)) as string });
});

it('an Idempotency-Key replays a search by GET', async () => {
  const request = { method: 'GET', path: '/api/v1/searxng/search?q=Zephyr', headers: { 'idempotency-key': 'one' } };
  const first = await ask(request);
  const second = await ask(request);
  expect(second.body).toEqual(first.body);
  expect([first.spent, second.spent]).toEqual([0.005, 0]);
});
