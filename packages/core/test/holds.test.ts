import { describe, expect, it } from 'vitest';
import { NO_MARKUP, parseUsd } from '../src/base/money.js';
import { charge } from '../src/catalog/charge.js';
import { compilePrices } from '../src/catalog/compile-prices.js';
import { createCostHistory } from '../src/catalog/cost-history.js';
import type { ModelRow } from '../src/catalog/model-entry.js';
import { createPriceReader } from '../src/catalog/price-reader.js';
import { quote } from '../src/catalog/quote.js';
import { QuestionCall } from '../src/kinds/answer/question-call.js';
import * as allProviders from '../src/providers/index.js';
import { KEY, reasonOf, start } from './scripted-gateway.js';

/** The most that a vendor bills, in USD. Written from its documents, and apart from the price rows, so that a row with a wrong form is found. */
type Bill = (asked: Asked) => number;
type Asked = Record<'results' | 'pages', number>;

const perCall =
  (usd: number): Bill =>
  () =>
    usd;
const perPage =
  (usd: number): Bill =>
  ({ pages }) =>
    usd * pages;
const beyondTen =
  (usd: number): Bill =>
  ({ results }) =>
    usd + 0.001 * Math.max(0, results - 10);
const FIRECRAWL_CREDIT = 0.00099;
const JINA_TOKEN = 0.05 / 1_000_000;

/** The sources are those of the price rows. */
const BILLS: Readonly<Record<string, Bill>> = {
  'brave/web': perCall(0.005),
  'brave/llm-context': perCall(0.005),
  'deepseek/search': perCall(0.00075),
  'deepseek/fetch': perPage(0.00075),
  'exa/auto': beyondTen(0.007),
  'exa/neural': beyondTen(0.007),
  'exa/lite': beyondTen(0.004),
  'exa/fast': beyondTen(0.007),
  'exa/deep': beyondTen(0.012),
  'exa/contents': perPage(0.001),
  // Each further page of a PDF document is a credit too, which no caller can foresee: it is charged, and not held.
  'firecrawl/search': ({ results, pages }) => (2 * Math.ceil(results / 10) + pages) * FIRECRAWL_CREDIT,
  'firecrawl/scrape': perPage(FIRECRAWL_CREDIT),
  // The least for results alone. The tokens of a text have no bound: 10,000 of a page are an estimate.
  'jina/search': ({ results, pages }) => Math.max(10_000 * Math.ceil(results / 10), 10_000 * pages) * JINA_TOKEN,
  'jina/reader': perPage(10_000 * JINA_TOKEN),
  'kagi/search': perCall(0.012),
  'linkup/fast': perCall(0.005),
  'linkup/standard': perCall(0.005),
  'linkup/deep': perCall(0.05),
  'linkup/fetch': perPage(0.001),
  'linkup/fetch-js': perPage(0.005),
  'parallel/turbo': beyondTen(0.001),
  'parallel/fast': beyondTen(0.001),
  'parallel/basic': beyondTen(0.005),
  'parallel/advanced': beyondTen(0.005),
  'parallel/extract': perPage(0.001),
  'perplexity/search': perCall(0.005),
  'perplexity/search-fast': perCall(0.001),
  'serpapi/google': perCall(0.015),
  'serper/google': perCall(0.001),
  'tavily/basic': perCall(0.008),
  'tavily/fast': perCall(0.008),
  'tavily/advanced': perCall(0.016),
  // A credit, or two, per five pages of all calls together: a page is a fifth of it.
  'tavily/extract-basic': perPage(0.008 / 5),
  'tavily/extract-advanced': perPage(0.016 / 5),
  // Results of the web.
  'valyu/search': ({ results }) => 0.0015 * results,
  'valyu/contents': perPage(0.001),
  // The text of as many pages as of news.
  'you/search': ({ pages }) => 0.005 + 0.001 * 2 * pages,
  'you/extract': perPage(0.0009),
  'zai/search': perCall(0.01),
  'zai/reader': perPage(0.01),
};

const providers = Object.values(allProviders).map((create) => create({ apiKey: 'a-key' }));
const models = [
  ...providers.flatMap(({ search }) => search?.models ?? []).map((model) => ({ model, asked: searches(model) })),
  ...providers.flatMap(({ extract }) => extract?.models ?? []).map((model) => ({ model, asked: extracts() })),
];

function searches({ maxResults = 10, features }: ModelRow): Asked[] {
  const counts = Array.from({ length: Math.max(10, maxResults) }, (_, at) => at + 1);
  return counts.flatMap((results) => [
    { results, pages: 0 },
    ...(features.includes('content') ? [{ results, pages: results }] : []),
  ]);
}

function compiled({ slug, prices }: Pick<ModelRow, 'slug' | 'prices'>) {
  const reader = createPriceReader();
  const rows = compilePrices(reader, prices, slug);
  reader.finish();
  return rows;
}

function extracts(): Asked[] {
  return Array.from({ length: 100 }, (_, at) => ({ results: 0, pages: at + 1 }));
}

describe('the hold of a search and of an extract', () => {
  it('is compared with the bill of every vendor', () => {
    expect(Object.keys(BILLS).sort()).toEqual(models.map(({ model }) => model.slug).sort());
  });

  it.each(models)('covers what $model.slug costs, at every size', ({ model: { slug, prices }, asked }) => {
    const uncovered = compiled({ slug, prices }).flatMap((price) =>
      asked.filter((units) => {
        const held = quote(price, createCostHistory(), { markup: NO_MARKUP, units });
        const billed = parseUsd(BILLS[slug]!(units).toFixed(9));
        // Without a report, a dynamic price is charged by its ceiling, of which no hold is expected.
        const costs = price.kind === 'flat' ? [{ reported: billed }, {}] : [{ reported: billed }];
        const charges = costs.map((cost) => charge(price, cost, { markup: NO_MARKUP, mostCharged: null, units }));
        expect(charges[0]!.charged).toBe(billed);
        return charges.some(({ charged }) => charged > held);
      }),
    );
    expect(uncovered).toEqual([]);
  });
});

/** How much dearer input tokens may be than in the row, by the vendors’ documents: long prompts, and hours of the day. */
const DEARER: Readonly<Record<string, bigint>> = {
  'anthropic/claude-haiku-5-5': 5n,
  'deepseek/deepseek-flash': 2n,
  'deepseek/deepseek-v4-pro': 2n,
};

describe('the hold of a conversation', () => {
  const ofAnyModel = allProviders.perplexity({ apiKey: 'a-key', tierModel: null }).models;
  const rows = [...providers.flatMap(({ models: answers }) => answers), ...ofAnyModel];
  const rateOf = (price: ReturnType<typeof compiled>[number]) =>
    price.kind === 'flat' ? 0n : price.perMillionInputTokens;
  const rates = rows.flatMap((row) => compiled(row).map((price) => rateOf(price) ?? 0n));
  const dearest = rates.reduce((most, rate) => (rate > most ? rate : most));
  const text = 'x'.repeat(100_000);
  const earlier = [{ role: 'user', content: text }] as const;

  const instructed = rows.filter(({ features }) => features.includes('instructions'));
  const questions = [
    ...rows.map((row) => ({ ...row, what: '200 KB', tokens: 192_000n, asked: { query: text, earlier } })),
    // Each of the longest characters may be a token, and more.
    ...instructed.map((row) => ({
      ...row,
      what: 'the longest instructions',
      tokens: 32_000n,
      asked: { query: 'Why?', instructions: '語'.repeat(32_000) },
    })),
  ];

  it.each(questions)('of $what covers the dearest input of $slug or any', ({ slug, prices, asked, tokens }) => {
    const { extraInputTokens: moreTokens } = new QuestionCall({ ...asked, includeCitations: true }, null);
    for (const price of compiled({ slug, prices })) {
      const quoteOf = (more: object) => quote(price, createCostHistory(), { markup: NO_MARKUP, ...more });
      const rate = (rateOf(price) ?? dearest) * (DEARER[slug] ?? 1n);
      expect(quoteOf({ moreTokens }) - quoteOf({})).toBeGreaterThanOrEqual((tokens * rate) / 1_000_000n);
    }
  });

  it.each([
    { messages: [...earlier, { role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'Why?' }] },
    { query: text },
  ] as const)('is refused at OpenRouter where the organization has less than it may cost', async (question) => {
    const provider = allProviders.openrouter({ apiKey: 'k', baseUrl: 'http://127.0.0.1:9' });
    const { gateway } = start([provider], { credits: '0.06', maxQueryCharacters: 300_000 });
    const asked = gateway.answer({ apiKey: KEY, model: 'openrouter/answer', ...question });
    expect(await reasonOf(asked)).toBe('organization_credits_exhausted');
    await gateway.close();
  });

  it.each(rows)('of $slug grows by at least what the vendor bills of its earlier messages', ({ slug, prices }) => {
    const [price] = compiled({ slug, prices });
    const billOf = (inputTokens: number) => {
      const cost = { usage: { inputTokens, outputTokens: 500, searches: 1 } };
      return charge(price, cost, { markup: NO_MARKUP, mostCharged: null }).charged;
    };
    for (const moreTokens of [1, 999, 200_000]) {
      const terms = { markup: NO_MARKUP, moreTokens };
      const held = quote(price, createCostHistory(), terms) - quote(price, createCostHistory(), { markup: NO_MARKUP });
      // Each bill is rounded up to the nanodollar.
      expect(held).toBeGreaterThanOrEqual(billOf(3_000 + moreTokens) - billOf(3_000) - 1n);
    }
  });
});

/** What a vendor bills of a million tokens, in USD, by its documents. */
const TOKENS: Readonly<Record<string, number>> = {
  'alibaba/qwen3-rerank': 0.1,
  'alibaba/text-embedding-v4': 0.07,
  'cohere/rerank-v5.0-pro': 0.05,
  'cohere/rerank-v5.0-fast': 0.02,
  'cohere/embed-v5.0-pro': 0.12,
  'cohere/embed-v5.0-fast': 0.08,
  'cohere/embed-v4.0': 0.12,
  'contextual/ctxl-rerank-v2-instruct-multilingual': 0.05,
  'contextual/ctxl-rerank-v2-instruct-multilingual-mini': 0.02,
  'google/gemini-embedding-2': 0.2,
  'google/gemini-embedding-001': 0.15,
  'jina/jina-reranker-v3.5': 0.05,
  'jina/jina-reranker-v3': 0.05,
  'jina/jina-reranker-v2-base-multilingual': 0.05,
  'jina/jina-embeddings-v5-text-small': 0.05,
  'jina/jina-embeddings-v5-omni-small': 0.05,
  'jina/jina-embeddings-v4': 0.05,
  'jina/jina-embeddings-v3': 0.05,
  'mistral/mistral-embed': 0.1,
  'mistral/codestral-embed': 0.15,
  'mixedbread/mxbai-rerank-large-v2': 0.15,
  'mixedbread/mxbai-embed-large-v1': 0.1,
  'openai/text-embedding-3-small': 0.02,
  'openai/text-embedding-3-large': 0.13,
  'openrouter/rerank-2.5': 0.05,
  'openrouter/rerank-2.5-lite': 0.02,
  'openrouter/text-embedding-3-small': 0.02,
  'openrouter/text-embedding-3-large': 0.13,
  'perplexity/pplx-embed-v1-0.6b': 0.004,
  'perplexity/pplx-embed-v1-4b': 0.03,
  'voyage/rerank-3': 0.05,
  'voyage/rerank-3-lite': 0.02,
  'voyage/rerank-2.5': 0.05,
  'voyage/rerank-2.5-lite': 0.02,
  'voyage/voyage-4-large': 0.12,
  'voyage/voyage-4': 0.06,
  'voyage/voyage-4-lite': 0.02,
  'voyage/voyage-code-4': 0.12,
  'voyage/voyage-code-3': 0.18,
  'voyage/voyage-3.5': 0.06,
  'voyage/voyage-3-large': 0.18,
};
/** Of a query with up to 100 documents. */
const SEARCH_UNITS: Readonly<Record<string, number>> = {
  'cohere/rerank-v4.0-pro': 0.0025,
  'cohere/rerank-v4.0-fast': 0.002,
  'cohere/rerank-v3.5': 0.002,
  'openrouter/rerank-v3.5': 0.001,
  'openrouter/rerank-4-pro': 0.0025,
};

describe('the hold of a rerank and of embeddings', () => {
  const rows = providers.flatMap(({ rerank, embed }) => [...(rerank?.models ?? []), ...(embed?.models ?? [])]);

  it('is compared with the bill of every vendor', () => {
    const billed = [...Object.keys(TOKENS), ...Object.keys(SEARCH_UNITS)];
    expect(billed.sort()).toEqual(rows.map(({ slug }) => slug).sort());
  });

  it.each(rows)('covers what $slug costs, of as many units as were expected', ({ slug, prices }) => {
    const [price] = compiled({ slug, prices });
    for (const [searchUnits, tokens] of [
      [1, 1],
      [1, 999],
      [7, 123_457],
      [10, 1_000_000],
    ] as const) {
      const units = { searchUnits, tokens };
      const bill = slug in TOKENS ? (TOKENS[slug]! * tokens) / 1_000_000 : SEARCH_UNITS[slug]! * searchUnits;
      const held = quote(price, createCostHistory(), { markup: NO_MARKUP, units });
      for (const cost of [{}, { usage: { inputTokens: tokens, searchUnits } }]) {
        const { charged } = charge(price, cost, { markup: NO_MARKUP, mostCharged: null, units });
        // Rounded up to the nanodollar.
        expect(charged).toBe(BigInt(Math.ceil(Number((bill * 1e9).toFixed(3)))));
        expect(held).toBeGreaterThanOrEqual(charged);
      }
    }
  });
});
