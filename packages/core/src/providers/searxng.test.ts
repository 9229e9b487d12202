import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { searchOnce } from '../../test/ask-once.js';
import { type Served, serve } from '../../test/every-model/serve.js';
import * as rows from '../../test/provider-rows.js';
import { KEY, reasonOf, start } from '../../test/scripted-gateway.js';
import type { Gateway } from '../index.js';
import type { ProviderSettings } from '../provider-kit/provider.js';
import { type SearxngSettings, searxng } from './searxng.js';

const MODEL = 'searxng/search';
const ZEPHYR = 'https://example.org/zephyr';
const create = (settings: ProviderSettings) =>
  searxng({ baseUrl: 'http://127.0.0.1:1', ...settings } as SearxngSettings);
/** Two pages, as searx 1.1.0 and SearXNG write them. */
const FOUND = {
  query: 'Is it open?',
  number_of_results: 0,
  results: [
    {
      url: ZEPHYR,
      title: 'Zephyr Bridge opens',
      content: 'It opened on 14 May 2021.',
      engine: 'pages',
      score: 2.5,
      publishedDate: '2021-05-14T00:00:00',
    },
    { url: 'https://example.com/traffic', title: 'Traffic', publishedDate: null },
  ],
  answers: [],
  corrections: [],
  infoboxes: [],
  suggestions: [],
  unresponsive_engines: [['other', 'timeout']],
};
const RESULTS = [
  {
    url: ZEPHYR,
    title: 'Zephyr Bridge opens',
    snippet: 'It opened on 14 May 2021.',
    date: '2021-05-14T00:00:00',
    score: 2.5,
  },
  { url: 'https://example.com/traffic', title: 'Traffic' },
];
const NONE = { ...FOUND, results: [], unresponsive_engines: [] };
const errors = { invalid: { error: 'Invalid value "xx" for parameter language' }, failed: { error: 'search error' } };
const ERRORS = rows.meanings({ upstream_rejected: '400 invalid', upstream_error: '500 failed' });
const FREE = { reported: 0n };

rows.testProvider(create, 'key-U2VhcnhuZ0tleUZvclRlc3RzMDEyMzQ1Njc4', {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.failed) } },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    rows.searched(MODEL, 'pages, though an engine was silent', FOUND, { results: RESULTS, cost: FREE }),
    rows.searched(MODEL, 'no pages', NONE, { results: [], cost: FREE }),
    ...rows.errorFixtures(MODEL, ERRORS, errors),
    ...rows.unusableFixtures(MODEL, [['silent engines', 'upstream_invalid_response']], () => ({
      ...FOUND,
      results: [],
    })),
  ],
});

describe('searxng', () => {
  let upstream: Served;
  let reply: [status: number, body: string];
  const open: Gateway[] = [];
  beforeAll(async () => {
    upstream = await serve((_req, res) => res.writeHead(reply[0]).end(reply[1]));
  });
  afterEach(() => Promise.all(open.splice(0).map((gateway) => gateway.close())));
  afterAll(() => upstream.close());

  it.each<[string, Partial<SearxngSettings>, object, Record<string, string>]>([
    ['the engines that the instance has on', {}, {}, {}],
    [
      'engines and categories by name, in a language, filtered',
      { engines: ['wikipedia', 'duck duck go'], categories: ['science'], language: 'de-CH', safeSearch: 2 },
      {},
      { engines: 'wikipedia,duck duck go', categories: 'science', language: 'de-CH', safesearch: '2' },
    ],
    [
      'pages of the last week, in the language of the call',
      { language: 'de' },
      { search: { freshness: 'week', language: 'fr' } },
      { time_range: 'week', language: 'fr' },
    ],
  ])('asks for %s', async (_what, settings, call, fields) => {
    const provider = searxng({ baseUrl: 'http://searx.local/', ...settings });
    const { request, charged } = await searchOnce(provider, MODEL, FOUND, call);
    expect(`${request.url.origin}${request.url.pathname}`).toBe('http://searx.local/search');
    expect(Object.fromEntries(request.url.searchParams)).toEqual({ q: 'Is it open?', format: 'json', ...fields });
    expect([request.headers, charged]).toEqual([{}, ['0', 'reported']]);
  });

  it('sends a key to a proxy in front of it', async () => {
    const { request } = await searchOnce(searxng({ baseUrl: 'http://searx.local', apiKey: 'k' }), MODEL, FOUND);
    expect(request.headers).toEqual({ authorization: 'Bearer k' });
  });

  const GONE = 'http://127.0.0.1:9';
  const PAGE = '<!doctype html><title>Search</title>';
  it.each<[string, [number, string], string, string, string?]>([
    ['has the format off', [403, PAGE], 'upstream_auth_failed', 'add it to search.formats in its settings.yml'],
    ['answers with a page', [200, PAGE], 'upstream_invalid_response', 'not a JSON object'],
    [
      'asks engines that give nothing',
      [200, JSON.stringify({ ...FOUND, results: [] })],
      'upstream_invalid_response',
      '"other","timeout"',
    ],
    ['is not there', [200, ''], 'upstream_unreachable', 'ECONNREFUSED', GONE],
  ])('says so, free of charge, where an instance %s', async (_what, given, reason, detail, baseUrl = upstream.url) => {
    reply = given;
    const { gateway, events, totals } = start([searxng({ baseUrl })], { maxAttempts: 1 });
    open.push(gateway);
    expect(await reasonOf(gateway.search({ apiKey: KEY, model: MODEL, query: 'Is it open?' }))).toBe(reason);
    await setImmediate();
    expect(events.map((event) => ('detail' in event ? event.detail : ''))).toContainEqual(
      expect.stringContaining(detail),
    );
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it.each<[string, object, string]>([
    ['bridge !!g', {}, 'query_rejected'],
    ['!images bridge', {}, 'answered'],
    ['Is it open !! Super !', { engines: ['wikipedia'] }, 'answered'],
    ['!images bridge', { engines: ['wikipedia'] }, 'query_rejected'],
    ['bridge\u0085!wp', { categories: ['science'] }, 'query_rejected'],
    ['bridge !!g', { categories: ['science'] }, 'query_rejected'],
  ])('takes no query that leaves what the operator has chosen: %j, %o', async (query, settings, expected) => {
    reply = [200, JSON.stringify(FOUND)];
    const { gateway, totals } = start([searxng({ baseUrl: upstream.url, ...settings })], { maxAttempts: 1 });
    open.push(gateway);
    expect(await reasonOf(gateway.search({ apiKey: KEY, model: MODEL, query }))).toBe(expected);
    expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  });

  it('is not paused for others by queries of one organization that find nothing while an engine is silent', async () => {
    reply = [200, JSON.stringify({ ...FOUND, results: [] })];
    const { gateway } = start([searxng({ baseUrl: upstream.url })], { providerFailureThreshold: 1 });
    open.push(gateway);
    await reasonOf(gateway.search({ apiKey: KEY, model: MODEL, query: 'qzxv' }));
    expect(gateway.status().providers).toMatchObject([{ state: 'serving', pausedForOrganizationIds: ['acme'] }]);
  });

  it('is free for an organization without credits, and a key that has spent its limit', async () => {
    reply = [200, JSON.stringify(FOUND)];
    const nothing = { credits: '0', limit: '0' };
    const { gateway, ledger, totals, kinds } = start([searxng({ baseUrl: upstream.url })], nothing);
    open.push(gateway);
    const found = await gateway.search({ apiKey: KEY, model: MODEL, query: 'Is it open?', search: { language: 'de' } });
    expect(found).toMatchObject({ results: [{ url: ZEPHYR, date: '2021-05-14' }, {}], usage: { results: 2, cost: 0 } });
    expect(await totals()).toMatchObject({ credits: 0n, usage: 0n, held: 0n });
    expect((await kinds()).flat()).toEqual(['grant', 0n, 'charge', 0n]);
    expect(await ledger.usage({ by: 'model' })).toMatchObject([{ group: MODEL, charges: 1, charged: 0n }, {}]);
    expect(gateway.models({ callable: true })).toMatchObject([{ pricing: { request: '0' }, free: true }]);
  });

  it.each([
    [{}, 'searxng.baseUrl: found nothing, expected an http(s) URL'],
    [{ engines: [] }, 'searxng.engines: found an array of 0, expected at least one name'],
    [{ engines: ['a,b'] }, 'searxng.engines[0]: found "a,b", expected a name'],
    [{ language: 'deutsch' }, 'searxng.language: found "deutsch", expected a language such as "de" or "de-CH"'],
    [{ safeSearch: 3 }, 'searxng.safeSearch: found 3, expected a whole number from 0 to 2'],
  ])('refuses %o', (settings, problem) => {
    const given = { ...(Object.keys(settings).length > 0 && { baseUrl: GONE }), ...settings };
    expect(() => searxng(given as SearxngSettings)).toThrow(problem);
  });
});
