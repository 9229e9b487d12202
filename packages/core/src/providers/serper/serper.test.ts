import { describe, expect, it } from 'vitest';
import { fixturesIn, searchOnce } from '../../../test/ask-once.js';
import * as rows from '../../../test/provider-rows.js';
import { type SerperSettings, serper } from './serper-provider.js';

const fixture = fixturesIn(import.meta.dirname);
const errors = fixture('errors');

const GOOGLE = 'serper/google';
const ZEPHYR = 'https://example.org/zephyr';
const TRAFFIC = 'https://example.com/traffic';

/** Status, name in errors.json, what it means. */
const ERRORS = rows.meanings({
  upstream_rejected: '400 missing',
  upstream_quota_exhausted: '400 noCredits, 429 noCreditsLater',
  upstream_auth_failed: '403 unauthorized',
  upstream_rate_limited: '429 rateLimit',
  upstream_error: '500 internal, 502 html',
});

rows.testProvider(serper, '9d1f7c3e5b8a4260e7c9d1b3f5a7086420ecab13', {
  faultReplies: { error_in_200: { body: JSON.stringify(errors.internal) } },
  evidence: { reply: 'valid JSON' },
  fixtures: [
    rows.searched(GOOGLE, 'pages beside an answer and other findings', fixture('search'), {
      results: [
        {
          url: ZEPHYR,
          title: 'Zephyr Bridge opens & traffic flows',
          snippet: 'The bridge was inaugurated on 14 May 2021.',
          date: 'May 14, 2021',
        },
        { url: TRAFFIC, title: 'Traffic report', snippet: 'About 40,000 vehicles a day.', date: '2 weeks ago' },
      ],
      cost: { reported: 1_000_000n },
    }),
    rows.searched(GOOGLE, 'pages without optional fields', fixture('search-sparse'), {
      results: [{ url: ZEPHYR, title: 'Zephyr Bridge opens' }, { url: TRAFFIC }],
    }),
    rows.searched(GOOGLE, 'no pages', fixture('search-none'), { results: [], cost: { reported: 1_000_000n } }),
    ...rows.errorFixtures(GOOGLE, ERRORS, errors),
  ],
});

const PLAIN = { q: 'Is it open?', num: 10 };

describe('serper', () => {
  it('asks for a page of Google', async () => {
    const { request } = await searchOnce(serper({ apiKey: 'k' }), GOOGLE, fixture('search'), { maxResults: 3 });
    expect([request.url.href, request.headers]).toEqual(['https://google.serper.dev/search', { 'x-api-key': 'k' }]);
    expect(request.json).toEqual(PLAIN);
  });

  it('asks for the last week from a country', async () => {
    const search = { freshness: 'week', country: 'DE' } as const;
    const { request } = await searchOnce(serper({ apiKey: 'k' }), GOOGLE, fixture('search'), { search });
    expect(request.json).toEqual({ ...PLAIN, tbs: 'qdr:w', gl: 'de' });
  });

  it.each<[string, string, string, string | undefined]>([
    ['search', '0.001', 'reported', undefined],
    ['search', '0.0003', 'reported', '0.0003'],
    ['search-sparse', '0.001', 'flat', undefined],
    ['search-sparse', '0.0003', 'flat', '0.0003'],
  ])('charges for the reply %s %s, %s, with credits at %s', async (reply, usd, source, usdPerCredit) => {
    const provider = serper({ apiKey: 'k', usdPerCredit });
    expect((await searchOnce(provider, GOOGLE, fixture(reply))).charged).toEqual([usd, source]);
  });

  it('charges the credits of a reply', async () => {
    const reply = { ...fixture('search'), credits: 2 };
    expect((await searchOnce(serper({ apiKey: 'k' }), GOOGLE, reply)).charged).toEqual(['0.002', 'reported']);
  });

  it('refuses settings that are wrong', () => {
    const settings: SerperSettings = { apiKey: 'k', usdPerCredit: '0' };
    expect(() => serper(settings)).toThrow('serper.usdPerCredit: found "0", expected a decimal string of US dollars');
  });
});
