import { describe, expect, it } from 'vitest';
import { createAdministration } from '../src/admin/index.js';
import { UpstreamError } from '../src/base/errors/upstream-error.js';
import { firstCharacters } from '../src/base/options/characters.js';
import { checkTag, checkText } from '../src/base/options/check-argument.js';
import type { CallableModel } from '../src/catalog/catalog.js';
import { createGateway, memoryApiKeys, memoryLedger } from '../src/index.js';
import { limitOutcome } from '../src/kinds/answer/present-outcome.js';
import { extractKind } from '../src/kinds/extract.js';
import type { AttemptContext } from '../src/kinds/kind-call.js';
import { searchKind } from '../src/kinds/search.js';
import type { ExtractedPage, SearchResult } from '../src/provider-kit/provider.js';
import * as allProviders from '../src/providers/index.js';
import { createAnswerFieldsCheck } from '../src/request/answer-fields.js';
import { createRoutingReader } from '../src/routing/read-routing-preferences.js';
import { redact } from '../src/upstream/redact.js';
import { askOnce, searchOnce } from './ask-once.js';
import { KEY, OUTCOME, scripted } from './scripted-gateway.js';

const same = (name: string) => name;
const { provider } = scripted('exa', [OUTCOME]);
const check = createAnswerFieldsCheck(8_000, same);
const asked = { query: 'When?', includeCitations: true, stream: false, search: undefined, routing: undefined };
const owner = { apiKey: KEY, organizationId: 'acme' };
const administration = createAdministration({ apiKeys: memoryApiKeys(), ledger: memoryLedger() });

const gatewayWith = (options: object) =>
  createGateway({ providers: [provider], ledger: memoryLedger(), apiKeys: memoryApiKeys(), ...options });

/** Every text with a limited length, by its limit of characters. */
const TEXTS: Record<string, readonly [most: number, take: (text: string) => unknown]> = {
  'a tag': [64, (tag) => checkTag('tag', tag)],
  'a question': [8_000, (query) => check({ ...asked, model: 'a', query, tag: undefined })],
  'the tag of a question': [64, (tag) => check({ ...asked, model: 'a', tag })],
  'a model': [256, (model) => check({ ...asked, model, tag: undefined })],
  'a fallback': [256, (name) => expect(createRoutingReader(same)({ fallbacks: [name] }).issues).toEqual([])],
  'a note, a name of an organization or a stored label': [1_000, (text) => checkText('note', text)],
  'a label': [200, (label) => administration.apiKeys.create({ organizationId: 'acme', label })],
  'a label in memory': [200, (label) => memoryApiKeys([{ ...owner, label }])],
  'an alias': [256, (alias) => gatewayWith({ aliases: { [alias]: 'exa/answer' } })],
  'a group': [256, (name) => gatewayWith({ groups: { [name]: { models: ['exa/answer'] } } })],
};

describe('characters are code points', () => {
  it.each(Object.entries(TEXTS))('of %s', async (_name, [most, take]) => {
    const takes = async (text: string) => await take(text);
    await expect(takes('\u{1F680}'.repeat(most))).resolves.not.toThrow();
    await expect(takes('\u{1F680}'.repeat(most + 1))).rejects.toThrow(/[0-9]|wrong value/);
  });
});

const URL = 'https://example.org/';
const FACTS = {} as CallableModel['facts'];
const call = { search: undefined };
const context = {
  enterSlot: () => null,
  costOf: () => 0n,
  ask: (send) => send(context),
} as Partial<AttemptContext> as AttemptContext;

async function readPage(page: Partial<ExtractedPage>, maxCharacters = 200_000) {
  const extract = {
    models: [],
    maxUrls: 1,
    extract: () => Promise.resolve({ pages: [{ url: URL, content: null, ...page }], cost: {} }),
  };
  const input = { urls: [URL], format: 'markdown', maxCharacters } as const;
  const { value } = await extractKind.ask(
    { ...provider, extract },
    { ...call, model: provider.models[0]!, facts: FACTS, input },
    context,
  );
  return value.results[0];
}

async function foundPage(page: Partial<SearchResult>) {
  const search = { models: [], search: () => Promise.resolve({ results: [{ url: URL, ...page }], cost: {} }) };
  const input = { query: 'q', maxResults: 1, includeContent: true };
  const { value } = await searchKind.ask(
    { ...provider, search },
    { ...call, model: provider.models[0]!, facts: FACTS, input },
    context,
  );
  return value[0];
}

const citationOf = (citation: object) =>
  limitOutcome({ ...OUTCOME, citations: [{ url: URL, ...citation }] }).citations[0];

/** Every text of a vendor that is cut, by its limit of characters. */
const CUTS: Record<string, readonly [most: number, cut: (text: string) => unknown]> = {
  'the content of a page': [200_000, async (content) => (await readPage({ content }))?.content],
  'the content of a page, where fewer are wanted': [
    1_000,
    async (content) => (await readPage({ content }, 1_000))?.content,
  ],
  'the title of a page': [500, async (title) => (await readPage({ title, content: 'x' }))?.title],
  'the content of a result': [200_000, async (content) => (await foundPage({ content }))?.content],
  'the snippet of a result': [4_000, async (snippet) => (await foundPage({ snippet }))?.snippet],
  'the title of a result': [500, async (title) => (await foundPage({ title }))?.title],
  'the title of a source': [500, (title) => citationOf({ title })?.title],
  'the snippet of a source': [4_000, (snippet) => citationOf({ snippet })?.snippet],
  'the detail of an error': [300, (detail) => new UpstreamError('upstream_error', { phase: 'body', detail }).detail],
};

describe('characters that are cut are code points', () => {
  it.each(Object.entries(CUTS))('of %s', async (_name, [most, cut]) => {
    for (const text of ['\u{1F680}'.repeat(most), 'a\u{1F680}'.repeat(most / 2), '橋'.repeat(most)]) {
      expect((await cut(text)) === text).toBe(true);
      expect((await cut(`${text}\u{1F680}`)) === text).toBe(true);
    }
  });

  it('also of what a vendor says', () => {
    expect(redact('\u{1F680}'.repeat(301))).toBe(`${'\u{1F680}'.repeat(299)}…`);
    expect(firstCharacters('\ud83d\u{1F680}b', 2)).toBe('\ud83d\u{1F680}');
  });
});

it.each([
  ['as long as was asked for', '\u{1F680}'.repeat(1_000), false],
  ['with white space behind', `${'a'.repeat(1_000)}  \n`, false],
  ['longer', '\u{1F680}'.repeat(1_001), true],
  ['longer behind white space', `${'a'.repeat(1_000)}  b`, true],
])('a page %s is said to be cut or not', async (_what, content, isCut) => {
  expect((await readPage({ content }, 1_000))?.truncated).toBe(isCut);
  expect((await readPage({ content, truncated: true }, 1_000))?.truncated).toBe(true);
});

/** The longest query of models, in characters. */
it.each<[slug: string, most: number, settings?: object]>([
  ['brave/web', 400],
  ['deepseek/search', 128],
  ['firecrawl/search', 500],
  ['parallel/responses-low', 20_000],
  ['parallel/basic', 5_000],
  ['tavily/answer', 400],
  ['tavily/basic', 400],
  ['tavily/basic', 500, { maxQueryCharacters: 500 }],
  ['you/answer', 400],
  ['you/answer', 500, { maxQueryCharacters: 500 }],
  ['you/research-lite', 40_000],
])('queries of %s have at most %d code points, and longer ones are not sent', async (slug, most, settings = {}) => {
  const found = Object.values(allProviders).map((create) => create({ apiKey: 'k' }).id);
  const of = Object.values(allProviders)[found.findIndex((id) => slug.startsWith(`${id}/`))]!({
    apiKey: 'k',
    ...settings,
  });
  const ask = of.search?.models.some((model) => model.slug === slug) ? searchOnce : askOnce;
  const errorOf = (query: string) => ask(of, slug, {}, { query }).catch((error: unknown) => error);
  expect(await errorOf('\u{1F680}'.repeat(most))).toMatchObject({ reason: 'upstream_invalid_response' });
  const detail = `the query is longer than the ${most} characters that the provider takes`;
  const tooLong = { reason: 'query_rejected', phase: 'connect', status: null, detail };
  expect(await errorOf('\u{1F680}'.repeat(most + 1))).toMatchObject(tooLong);
});
