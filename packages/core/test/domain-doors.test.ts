import { describe, expect, it } from 'vitest';
import type { DomainRule } from '../src/base/domain-rule.js';
import { type GatewayOptions, memoryApiKeys, memoryIdempotency } from '../src/index.js';
import type { AnswerOutcome, ModelRow, Provider } from '../src/provider-kit/index.js';
import { type FormCall, makeCall } from './form-calls.js';
import { endpointsOf, formsOf } from './money-forms.js';
import { KEY, OUTCOME, reasonOf, scripted, start } from './scripted-gateway.js';

// The rules of a key, at every door.

const MODELS = { search: 'house/find', extract: 'house/read', answer: 'house/answer' };
const FORMS = formsOf(MODELS);
const ONLY: DomainRule = { only: ['example.org'] };
const OWN = 'https://example.org/a';
const EVIL = 'https://evil.example.net/b';
const TEXT = `See [it](${EVIL}), ${EVIL} and [there](${OWN})`;
const ANSWER: AnswerOutcome = {
  text: `${TEXT} [1][2].`,
  citations: [
    { url: EVIL, title: 'Evil', snippet: '' },
    { url: OWN, title: `Own ${EVIL}`, snippet: TEXT },
  ],
  cost: {},
};
const BOTH = { includeDomains: { as: 'in' }, excludeDomains: { as: 'out' } };

/** A provider that keeps to no domains, and what it was asked. */
function house(options: ModelRow['options'] = BOTH, answer = ANSWER) {
  const asked: unknown[] = [];
  const [row] = scripted('house', []).provider.models;
  const rowOf = (slug: string, features: ModelRow['features'] = []): ModelRow => ({
    ...row!,
    slug,
    features,
    options,
    maxResults: 20,
  });
  const provider: Provider = {
    id: 'house',
    name: 'House',
    models: [rowOf(MODELS.answer, ['citations', 'streaming', 'instructions'])],
    answer: {
      async answer({ search }) {
        asked.push(search);
        return answer;
      },
      async stream({ search }, _context, live) {
        asked.push(search);
        live.citations(answer.citations);
        for (const part of answer.text.match(/.{1,7}/g) ?? []) live.text(part);
        return answer;
      },
    },
    search: {
      models: [rowOf(MODELS.search, ['content'])],
      async search({ search }) {
        asked.push(search);
        const results = [EVIL, OWN].map((url) => ({ url, title: `T ${EVIL}`, snippet: TEXT, content: TEXT }));
        return { results, cost: {} };
      },
    },
    extract: {
      models: [rowOf(MODELS.extract)],
      maxUrls: 20,
      async extract({ urls }) {
        asked.push(urls);
        const otherUrl = (url: string) => (url.endsWith('/moved') ? { otherUrl: EVIL } : {});
        return { pages: urls.map((url) => ({ url, ...otherUrl(url), title: `T ${EVIL}`, content: TEXT })), cost: {} };
      },
    },
  };
  return { provider, asked };
}

function hosted(
  domains: DomainRule | null,
  { provider }: Pick<ReturnType<typeof house>, 'provider'>,
  more: Partial<GatewayOptions> = {},
) {
  const apiKeys = memoryApiKeys([{ apiKey: KEY, id: 'key', label: 'demo', organizationId: 'acme', domains }]);
  return start([provider], { apiKeys, endpoints: endpointsOf(MODELS), ...more });
}

const call = { tag: 't', apiKey: KEY, idempotencyKey: undefined, cache: undefined, hangsUpAfterMs: null };
const ask = ({ gateway, clock }: ReturnType<typeof start>, form: FormCall['form'], query = 'a') =>
  makeCall(gateway, clock, { ...call, form, query });

describe.each(FORMS)('$name', (form) => {
  it('shows nothing outside of the rules', async () => {
    const { provider, asked } = house();
    const { status, text } = await ask(hosted(ONLY, { provider }), form);
    expect([status, text]).toEqual([200, expect.stringContaining('example.org')]);
    expect(text.replaceAll('\\/', '/')).not.toMatch(/https?:[\\/]*evil/i);
    expect(asked).toEqual([form.asks.startsWith('extract') ? [OWN] : { includeDomains: ['example.org'] }]);
  });

  it('asks nobody where the rules leave nothing', async () => {
    const { provider, asked } = house();
    const rules = {
      apiKeys: { findByHash: async () => ({ ...KEY_OF_RULES, domains: [ONLY, { never: ['example.org'] }] }) },
    };
    const { status, text } = await ask(hosted(null, { provider }, rules), form);
    expect([status, text, asked]).toEqual([403, expect.stringMatching(/domains_exclude_all|domain rules/i), []]);
  });
});

const KEY_OF_RULES = {
  id: 'key',
  organizationId: 'acme',
  label: 'demo',
  limit: null,
  limitReset: null,
  allowedModels: null,
  expiresAtMs: null,
  revokedAtMs: null,
  organizationSuspended: false,
};

describe('in process', () => {
  const host = { id: 'ada', organizationId: 'acme', domains: ONLY };
  const question = { apiKey: host, model: MODELS.answer, query: 'When?' };

  it('the rules of an identity hold, whole and streamed', async () => {
    const { gateway } = hosted(null, house());
    const answer = 'See it, evil.example.net and [there](https://example.org/a) [1].';
    const citations = [{ url: OWN, title: 'Own evil.example.net', snippet: answer.slice(0, -5) }];
    expect(await gateway.answer(question)).toMatchObject({ answer, citations });
    let streamed = '';
    for await (const event of gateway.answerStream(question)) if (event.type === 'delta') streamed += event.text;
    expect(streamed).toBe(answer);
  });

  it.each([
    [{ includeDomains: ['news.example.org', 'other.example'] }, { includeDomains: ['news.example.org'] }],
    [{ excludeDomains: ['old.example.org'] }, { includeDomains: ['example.org'] }],
  ])('the options %j meet the rules as %j', async (search, expected) => {
    const { provider, asked } = house(BOTH, OUTCOME);
    await reasonOf(hosted(null, { provider }).gateway.answer({ ...question, search }));
    expect(asked[0]).toEqual(expected);
  });

  it.each([
    [{ only: ['other.example'] }, { includeDomains: ['example.org'] }],
    [{ never: ['example.org'] }, { includeDomains: ['example.org', 'a.example.org'] }],
  ])('%j and the options %j leave nothing', async (domains: DomainRule, search) => {
    const { gateway } = hosted(null, house());
    const asked = gateway.answer({ ...question, apiKey: { ...host, domains }, search });
    expect(await reasonOf(asked)).toBe('domains_exclude_all');
  });

  it('a model that cannot honor the rules is passed over in groups and fallbacks, and refused by name', async () => {
    const [able, unable] = [house(), house({})];
    const second: Provider = {
      ...unable.provider,
      id: 'cellar',
      search: undefined,
      extract: undefined,
      models: unable.provider.models.map((row) => ({ ...row, slug: 'cellar/answer' })),
    };
    const { gateway } = start([able.provider, second], {
      groups: { any: { models: ['cellar/answer', 'house/answer'] } },
    });
    expect(await gateway.answer({ ...question, model: 'any' })).toMatchObject({ model: 'house/answer' });
    await expect(gateway.answer({ ...question, model: 'cellar/answer' })).rejects.toMatchObject({
      reason: 'unsupported_option',
      message: expect.stringContaining(
        'A domain rule of the API key or its organization needs includeDomains. Use house/answer.',
      ) as string,
    });
    // More names than options can say: the reply alone is checked.
    const only = [...Array.from({ length: 20 }, (_, at) => `a${at}.example.net`), 'example.org'];
    const wide = { ...question, apiKey: { ...host, domains: { only } }, model: 'cellar/answer' };
    expect(await gateway.answer(wide)).toMatchObject({ citations: [{ url: OWN }] });
    expect(unable.asked).toEqual([undefined]);
  });

  it('an extract names excluded pages and those that came from elsewhere, and says where others came from', async () => {
    const { provider, asked } = house();
    const { gateway } = hosted(null, { provider });
    const urls = [EVIL, OWN, 'https://example.org/moved'];
    const given = { model: MODELS.extract, urls };
    expect(await gateway.extract({ ...given, apiKey: host })).toMatchObject({
      results: [
        {
          url: OWN,
          title: 'T evil.example.net',
          content: 'See it, evil.example.net and [there](https://example.org/a)',
        },
      ],
      failed: [
        { url: EVIL, reason: 'page_excluded' },
        { url: 'https://example.org/moved', reason: 'page_excluded' },
      ],
    });
    expect(asked).toEqual([urls.slice(1)]);
    const { results } = await gateway.extract({ ...given, apiKey: { ...host, domains: null } });
    expect(results.map((page) => page.resolved_url)).toEqual([undefined, undefined, EVIL]);
  });

  it('results that the rules drop are billed, and reported', async () => {
    const { gateway, events } = hosted(null, house());
    const rules: DomainRule = { never: ['evil.example.net', 'example.org'] };
    const found = await gateway.search({ apiKey: { ...host, domains: rules }, model: MODELS.search, query: 'x' });
    expect(found).toMatchObject({ results: [], usage: { results: 0, cost: 0.005 } });
    await gateway.close();
    expect(events).toContainEqual(expect.objectContaining({ type: 'citations_dropped', dropped: 2, kept: 0 }));
  });

  it('JSON stays JSON', async () => {
    const text = JSON.stringify({ a: `"${EVIL}"`, b: [1.5, OWN] });
    const { provider } = house(BOTH, { ...ANSWER, text });
    const models = provider.models.map((row) => ({ ...row, features: ['json_schema', 'citations'] as const }));
    const { gateway } = hosted(null, { provider: { ...provider, models } });
    const { answer } = await gateway.answer({
      ...question,
      responseFormat: { type: 'json_schema', jsonSchema: { name: 'a', schema: { type: 'object' } } },
    });
    expect(JSON.parse(answer)).toEqual({ a: '"evil.example.net"', b: [1.5, OWN] });
  });
});

describe('a kept reply', () => {
  const question = { model: MODELS.answer, query: 'When?' };
  const of = (domains: DomainRule | null) => ({ id: 'ada', organizationId: 'acme', domains });
  const RULES: readonly (DomainRule | null)[] = [
    null,
    ONLY,
    { never: ['evil.example.net'] },
    { never: ['other.example'] },
  ];

  it('is not shared with callers under other rules', async () => {
    const { provider, asked } = house();
    const { gateway } = hosted(null, { provider }, { cache: { ttlMs: 60_000 } });
    for (const rules of [...RULES, ...RULES]) await gateway.answer({ ...question, apiKey: of(rules) });
    expect(asked).toHaveLength(RULES.length);
  });

  it('is not replayed under other rules', async () => {
    const { gateway } = hosted(null, house(), { idempotency: memoryIdempotency() });
    const given = { ...question, idempotencyKey: 'k' };
    const first = await gateway.answer({ ...given, apiKey: of(null) });
    expect(await gateway.answer({ ...given, apiKey: of(null) })).toEqual(first);
    expect(await reasonOf(gateway.answer({ ...given, apiKey: of(ONLY) }))).toBe('idempotency_key_reused');
  });
});
