import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatUsd, NO_MARKUP } from '../src/base/money.js';
import { type ChargeTerms, charge } from '../src/catalog/charge.js';
import { compilePrices } from '../src/catalog/compile-prices.js';
import type { ModelRow, OutcomeCost } from '../src/catalog/model-entry.js';
import { createPriceReader } from '../src/catalog/price-reader.js';
import { priceAt } from '../src/catalog/units.js';
import { embeddingsKind } from '../src/kinds/embeddings.js';
import { rerankKind } from '../src/kinds/rerank.js';
import type {
  AnswerOutcome,
  CallContext,
  EmbedOutcome,
  ExtractOutcome,
  Provider,
  ProviderEmbed,
  ProviderExtract,
  ProviderQuestion,
  ProviderRerank,
  ProviderSearch,
  RerankOutcome,
  SearchOutcome,
} from '../src/provider-kit/provider.js';
import type { UpstreamRequest } from '../src/upstream/upstream-client.js';

const TERMS: ChargeTerms = { markup: NO_MARKUP, mostCharged: null };

/** The JSON fixtures next to a provider's test, by name: `fixturesIn(import.meta.dirname)('answer')`. */
export const fixturesIn = (folder: string) => (name: string) =>
  JSON.parse(readFileSync(join(folder, 'fixtures', `${name}.json`), 'utf8'));

/** The event streams next to a provider's test, by name: `streamsIn(import.meta.dirname)('answer')`. */
export const streamsIn = (folder: string) => (name: string) =>
  readFileSync(join(folder, 'fixtures', `${name}.txt`), 'utf8');

interface Asked<Outcome> {
  /** The one request that was sent. */
  readonly request: UpstreamRequest;
  readonly outcome: Outcome;
  /** The charge of the catalog before markup (USD), and its source. */
  readonly charged: readonly [usd: string, costSource: string];
}

interface AskedOnce extends Partial<Omit<ProviderQuestion, 'model'>> {
  readonly atMs?: number;
}

const AT_MS = Date.UTC(2026, 10, 26);

/** Asks a provider one question; its upstream sends this reply with status 200. */
export function askOnce(
  provider: Provider,
  slug: string,
  reply: unknown,
  { query = 'Is it open?', atMs = Date.UTC(2026, 10, 21), ...call }: AskedOnce = {},
): Promise<Asked<AnswerOutcome>> {
  const model = rowOf(provider.models, slug);
  const ask = (context: CallContext) => provider.answer!.answer({ model, query, ...call }, context);
  return sendOnce({ ask, reply, model, atMs });
}

/** Searches once, as {@link askOnce}: up to ten pages without content unless `call` says otherwise. */
export function searchOnce(
  { search }: Provider,
  slug: string,
  reply: unknown,
  call: Partial<Omit<ProviderSearch, 'model'>> = {},
): Promise<Asked<SearchOutcome>> {
  const model = rowOf(search?.models, slug);
  const input: ProviderSearch = { model, query: 'Is it open?', maxResults: 10, includeContent: false, ...call };
  const units = { results: input.maxResults, pages: input.includeContent ? input.maxResults : 0 };
  return sendOnce({ ask: (context) => search!.search(input, context), reply, model, units });
}

/** Reads pages once, as {@link askOnce}. Charges are for all addresses. */
export function extractOnce(
  { extract }: Provider,
  slug: string,
  reply: unknown,
  call: Partial<Omit<ProviderExtract, 'model'>> = {},
): Promise<Asked<ExtractOutcome>> {
  const model = rowOf(extract?.models, slug);
  const input: ProviderExtract = { model, urls: ['https://example.org/zephyr'], format: 'markdown', ...call };
  const units = { results: 0, pages: input.urls.length };
  return sendOnce({ ask: (context) => extract!.extract(input, context), reply, model, units });
}

/** Reranks once, as {@link askOnce}: two documents unless `call` says otherwise, all of them wanted. */
export function rerankOnce(
  { rerank }: Provider,
  slug: string,
  reply: unknown,
  call: Partial<Omit<ProviderRerank, 'model'>> = {},
): Promise<Asked<RerankOutcome>> {
  const model = rowOf(rerank?.models, slug);
  const { documents = ['It is open.', 'It is closed.'], query = 'Is it open?', topN = documents.length } = call;
  const input = { query, documents, topN };
  const units = rerankKind.askedUnits(input)(model).likely;
  return sendOnce({ ask: (context) => rerank!.rerank({ model, ...input }, context), reply, model, units });
}

/** Makes vectors once, as {@link askOnce}: of one text without a role unless `call` says otherwise. */
export function embedOnce(
  { embed }: Provider,
  slug: string,
  reply: unknown,
  call: Partial<Omit<ProviderEmbed, 'model'>> = {},
): Promise<Asked<EmbedOutcome>> {
  const model = rowOf(embed?.models, slug);
  const input = { inputs: ['It is open.'], inputType: undefined, dimensions: undefined, ...call };
  const units = embeddingsKind.askedUnits({ ...input, encodingFormat: 'base64' })(model).likely;
  return sendOnce({ ask: (context) => embed!.embed({ model, ...input }, context), reply, model, units });
}

function rowOf(models: readonly ModelRow[] | undefined, slug: string): ModelRow {
  const model = models?.find((candidate) => candidate.slug === slug);
  if (model === undefined) throw new Error(`the provider has no model ${slug}`);
  return model;
}

interface OneCall<Outcome> {
  readonly ask: (context: CallContext) => Promise<Outcome>;
  readonly reply: unknown;
  readonly model: ModelRow;
  readonly units?: ChargeTerms['units'];
  readonly atMs?: number;
}

async function sendOnce<Outcome extends { readonly cost: OutcomeCost }>({
  ask,
  reply,
  model,
  units,
  atMs = AT_MS,
}: OneCall<Outcome>): Promise<Asked<Outcome>> {
  const requests: UpstreamRequest[] = [];
  const upstream = {
    send(request: UpstreamRequest) {
      requests.push(request);
      const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
      return Promise.resolve({ status: 200, header: () => undefined, text });
    },
  };
  const outcome = await ask({ upstream, signal: new AbortController().signal });
  const [request, ...others] = requests;
  if (request === undefined || others.length > 0) throw new Error(`${requests.length} requests were sent instead of 1`);
  const reader = createPriceReader();
  const price = priceAt(compilePrices(reader, model.prices, model.slug), atMs);
  reader.finish();
  const { charged, costSource } = charge(price, outcome.cost, { ...TERMS, units });
  return { request, outcome, charged: [formatUsd(charged), costSource] };
}
