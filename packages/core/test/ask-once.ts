import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatUsd, NO_MARKUP } from '../src/base/money.js';
import { compilePrices } from '../src/catalog/compile-prices.js';
import { createPriceReader } from '../src/catalog/price-reader.js';
import { type ChargeTerms, charge, priceAt } from '../src/catalog/pricing.js';
import type { AnswerOutcome, Provider } from '../src/provider-kit/provider.js';
import type { UpstreamRequest } from '../src/upstream/upstream-client.js';

const TERMS: ChargeTerms = { markup: NO_MARKUP, mostCharged: null };

/** The JSON fixtures next to a provider's test, by name: `fixturesIn(import.meta.dirname)('answer')`. */
export const fixturesIn = (folder: string) => (name: string) =>
  JSON.parse(readFileSync(join(folder, 'fixtures', `${name}.json`), 'utf8'));

/** The event streams next to a provider's test, by name: `streamsIn(import.meta.dirname)('answer')`. */
export const streamsIn = (folder: string) => (name: string) =>
  readFileSync(join(folder, 'fixtures', `${name}.txt`), 'utf8');

interface Asked {
  /** The one request that was sent. */
  readonly request: UpstreamRequest;
  readonly outcome: AnswerOutcome;
  /** The charge of the catalog before markup (USD), and its source. */
  readonly charged: readonly [usd: string, costSource: string];
}

/** Asks a provider one question; its upstream sends this reply with status 200. */
export async function askOnce(
  provider: Provider,
  slug: string,
  reply: unknown,
  { query = 'Is it open?', atMs = Date.UTC(2026, 10, 21) } = {},
): Promise<Asked> {
  const requests: UpstreamRequest[] = [];
  const upstream = {
    send(request: UpstreamRequest) {
      requests.push(request);
      const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
      return Promise.resolve({ status: 200, header: () => undefined, text });
    },
  };
  const model = provider.models.find((candidate) => candidate.slug === slug);
  if (model === undefined) throw new Error(`${provider.id} has no model ${slug}`);
  const outcome = await provider.answer.answer({ model, query }, { upstream, signal: new AbortController().signal });
  const [request, ...others] = requests;
  if (request === undefined || others.length > 0) throw new Error(`${requests.length} requests were sent instead of 1`);
  const reader = createPriceReader();
  const price = priceAt(compilePrices(reader, model.prices, slug), atMs);
  reader.finish();
  const { charged, costSource } = charge(price, outcome.cost, TERMS);
  return { request, outcome, charged: [formatUsd(charged), costSource] };
}
