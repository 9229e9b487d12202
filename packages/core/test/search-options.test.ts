import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type GatewayOptions, toFetchHandler } from '../src/index.js';
import type { AnswerOutcome, OptionSupport, Provider, ProviderQuestion } from '../src/provider-kit/index.js';
import { askOverHttp } from './ask-over-http.js';
import { fingerprintStore } from './fingerprints.js';
import { failure, KEY, OUTCOME, scripted, start, streaming } from './scripted-gateway.js';

/** A provider with one model and these options, and its recorded calls. */
function honoring(id: string, options: OptionSupport, replies: Parameters<typeof scripted>[1] = [OUTCOME]) {
  const { provider } = scripted(id, replies);
  const asked: ProviderQuestion[] = [];
  const answer: Provider['answer'] = {
    answer(call, context) {
      asked.push(call);
      return provider.answer!.answer(call, context);
    },
  };
  return { asked, provider: { ...provider, models: provider.models.map((model) => ({ ...model, options })), answer } };
}

const AGE: OptionSupport = { freshness: { as: 'age' } };
const PLACE: OptionSupport = { ...AGE, country: { as: 'gl', values: ['DE'] } };

function host(providers: readonly Provider[], options: Partial<GatewayOptions> = {}) {
  const started = start(providers, options);
  const post = (fields: object, headers: Record<string, string> = {}) =>
    askOverHttp(started.gateway, { body: { model: 'one/answer', query: 'When?', ...fields }, headers });
  return { ...started, post };
}

describe('a question with search options', () => {
  it('passes checked and normalized options to the provider, over HTTP and in process', async () => {
    const one = honoring('one', PLACE);
    const { post, gateway } = host([one.provider]);
    expect((await post({ search: { country: 'de', freshness: 'week' } })).status).toBe(200);
    const search = { country: 'DE', freshness: 'week' } as const;
    await gateway.answer({ apiKey: KEY, model: 'one/answer', query: 'When?', search });
    // The clock of these tests does not move.
    const period = { from: '2026-11-14T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' };
    expect(one.asked.map((call) => call.search)).toEqual([
      { ...search, period },
      { ...search, period },
    ]);
  });

  it.each([{}, { search: null }, { search: {} }])('passes no option on for the empty %j', async (fields) => {
    const one = honoring('one', {});
    await host([one.provider]).post(fields);
    expect(one.asked.map((call) => Object.keys(call))).toEqual([['model', 'query']]);
  });

  it('is refused before any hold if its model does not support them', async () => {
    const [one, two] = [honoring('one', AGE), honoring('two', PLACE)];
    const { post, totals, kinds, gateway } = host([one.provider, two.provider], {
      fallbacks: { 'one/answer': ['two/answer'] },
      aliases: { news: 'one/answer' },
    });
    for (const model of ['one/answer', 'news']) {
      const { status, body } = await post({ model, search: { country: 'DE', freshness: 'day' } });
      expect({ status, body }).toMatchObject({
        status: 400,
        body: {
          error: {
            type: 'invalid_request_error',
            reason: 'unsupported_option',
            param: 'search.country',
            retryable: false,
            metadata: { options: ['country'], models: ['two/answer'] },
          },
        },
      });
    }
    const search = { country: 'FR' };
    await expect(gateway.answer({ apiKey: KEY, model: 'two/answer', query: 'x', search })).rejects.toMatchObject({
      reason: 'unsupported_option',
      details: { options: ['country'], models: [] },
    });
    expect([...one.asked, ...two.asked]).toEqual([]);
    expect([(await totals()).held, await kinds()]).toEqual([0n, [['grant', 10_000_000_000n]]]);
  });

  it.each(['one/answer', 'news'])('never reaches a fallback without support for them, asked as %s', async (model) => {
    const one = honoring('one', PLACE, [failure('upstream_error')]);
    const [two, three] = [honoring('two', AGE), honoring('three', PLACE)];
    const { post } = host([one.provider, two.provider, three.provider], {
      fallbacks: { 'one/answer': ['two/answer', 'three/answer'] },
      aliases: { news: 'one/answer' },
    });
    const { body } = await post({ model, search: { country: 'DE' } });
    expect(body).toMatchObject({ model: 'three/answer' });
    expect([one.asked.length, two.asked.length, three.asked.length]).toEqual([1, 0, 1]);
    expect((await post({ model })).body).toMatchObject({ model: 'two/answer' });
  });

  it.each([
    [{ search: { foo: 1 } }, 'search.foo'],
    [{ search: { include_domains: ['https://example.org'] } }, 'search.include_domains'],
    [{ search: { includeDomains: ['example.org'] } }, 'search.includeDomains'],
    [{ search: 'news' }, 'search'],
    [{ include_citations: 1, search: { foo: 1 } }, 'include_citations'],
  ])('is refused for a wrong field: %j', async (fields, param) => {
    const { post } = host([honoring('one', PLACE).provider]);
    expect(await post(fields)).toMatchObject({ status: 400, body: { error: { reason: 'invalid_field', param } } });
  });

  it('names invalid options by their names in process', async () => {
    const { gateway } = host([honoring('one', PLACE).provider]);
    const search = { includeDomains: ['example'] };
    await expect(gateway.answer({ apiKey: KEY, model: 'one/answer', query: 'x', search })).rejects.toMatchObject({
      reason: 'invalid_field',
      param: 'search.includeDomains',
    });
  });
});

describe('the options in GET /models', () => {
  it('are those that callers can send, for answer models only', async () => {
    const { gateway } = host([honoring('one', PLACE).provider, honoring('two', {}).provider]);
    const handle = toFetchHandler(gateway);
    const headers = { authorization: `Bearer ${KEY}` };
    const response = await handle(new Request('http://localhost/api/v1/models', { headers }));
    const { data } = (await response.json()) as { data: { id: string; category: string; options?: string[] }[] };
    expect(data.filter(({ category }) => category === 'answer').map(({ id, options }) => [id, options])).toEqual([
      ['one/answer', ['freshness', 'country']],
      ['two/answer', []],
    ]);
    expect(data.filter((entry) => entry.category !== 'answer' && 'options' in entry)).toEqual([]);
  });
});

describe('the fingerprint of an Idempotency-Key', () => {
  async function fingerprints(...asked: object[]): Promise<string[]> {
    const { idempotency, seen } = fingerprintStore();
    const { post } = host([honoring('one', PLACE).provider], { idempotency });
    for (const [index, fields] of asked.entries()) await post(fields, { 'idempotency-key': `k${index}` });
    return [...seen];
  }

  it('is unchanged without options', async () => {
    const today = createHash('sha256').update('["one/answer","When?",true]').digest('hex');
    expect(await fingerprints({}, { search: null }, { search: {} })).toEqual([today, today, today]);
  });

  it('depends on options, but not on their order or spelling', async () => {
    const [plain, week, day, reordered] = await fingerprints(
      {},
      { search: { freshness: 'week', country: 'DE' } },
      { search: { freshness: 'day', country: 'DE' } },
      { search: { country: 'de', freshness: 'week' } },
    );
    expect(reordered).toBe(week);
    expect(new Set([plain, week, day]).size).toBe(3);
  });

  it('refuses a repeated key with other options', async () => {
    const { post } = host([honoring('one', PLACE).provider]);
    const key = { 'idempotency-key': 'k' };
    expect((await post({ search: { freshness: 'day' } }, key)).status).toBe(200);
    expect((await post({ search: { freshness: 'day' } }, key)).status).toBe(200);
    expect(await post({}, key)).toMatchObject({ status: 422, body: { error: { reason: 'idempotency_key_reused' } } });
  });
});

describe('a citation outside of the asked domains', () => {
  const DOMAINS: OptionSupport = { includeDomains: { as: 'in' }, excludeDomains: { as: 'out' } };
  const page = (url: string) => ({ url, title: url, snippet: '' });
  const MIXED: AnswerOutcome = {
    text: 'One [1], two [2] and [3], all [1][2][3].',
    citations: [page('https://evil.example/'), page('https://example.org/a'), page('https://news.example.org/b')],
    cost: { reported: 7_000_000n },
  };
  const WITHIN = ['https://example.org/a', 'https://news.example.org/b'];

  it('is dropped and the others are renumbered, whole and from the cache', async () => {
    const { post, events, gateway } = host([honoring('one', DOMAINS, [MIXED]).provider], { cache: { ttlMs: 60_000 } });
    for (const _time of ['asked', 'kept']) {
      const { body } = await post({ search: { include_domains: ['example.org'] } });
      expect(body).toMatchObject({ answer: 'One, two [1] and [2], all [1][2].', usage: { cost: 0.007 } });
      expect((body['citations'] as { url: string }[]).map(({ url }) => url)).toEqual(WITHIN);
    }
    await gateway.close();
    const dropped = events.filter(({ type }) => type === 'citations_dropped');
    expect(dropped).toMatchObject([{ provider: 'one', model: 'one/answer', dropped: 1, kept: 2 }]);
  });

  it('is dropped if its domain is excluded', async () => {
    const { post } = host([honoring('one', DOMAINS, [MIXED]).provider]);
    const { body } = await post({ search: { exclude_domains: ['example.org'] } });
    expect(body).toMatchObject({ answer: 'One [1], two and, all [1].', citations: [{ url: 'https://evil.example/' }] });
  });

  it('as the only citation fails the attempt: a fallback is asked, and the cost is a loss', async () => {
    const only = { ...MIXED, text: 'One [1].', citations: MIXED.citations.slice(0, 1), cost: {} };
    const one = honoring('one', DOMAINS, [only]);
    const two = honoring('two', DOMAINS, [MIXED]);
    const options = { fallbacks: { 'one/answer': ['two/answer'] } };
    const { post, kinds } = host([one.provider, two.provider], options);
    const search = { include_domains: ['example.org'] };
    expect((await post({ search })).body).toMatchObject({ model: 'two/answer' });
    expect((await kinds()).slice(1)).toEqual([
      ['loss', 5_000_000n],
      ['charge', 7_000_000n],
    ]);
    const alone = await post({ search, routing: { fallbacks: [] } });
    expect([alone.status, alone.body]).toMatchObject([400, { error: { reason: 'no_answer_found' } }]);
    expect((await kinds()).slice(3)).toEqual([['loss', 5_000_000n]]);
  });

  it.each([
    ['early', true],
    ['late', true],
    ['early', false],
    ['late', false],
  ])('reaches no stream with citations %s, citations: %s', async (when, includeCitations) => {
    const provider = streaming(async (_call, _context, live) => {
      if (when === 'early') live.citations(MIXED.citations);
      for (const part of MIXED.text.match(/.{1,3}/g) ?? []) live.text(part);
      return MIXED;
    });
    const models = provider.models.map((model) => ({ ...model, options: DOMAINS }));
    const { gateway } = start([{ ...provider, models }]);
    const search = { includeDomains: ['example.org'] };
    const events = [];
    const asked = { apiKey: KEY, model: 'exa/answer', query: 'When?', search, includeCitations };
    for await (const event of gateway.answerStream(asked)) events.push(event);
    const answer = includeCitations ? 'One, two [1] and [2], all [1][2].' : 'One, two and, all.';
    expect(events.map((event) => (event.type === 'delta' ? event.text : '')).join('')).toBe(answer);
    expect(events.at(-1)).toMatchObject({ type: 'done', answer: { answer } });
    expect(JSON.stringify(events)).not.toContain('evil');
  });
});
