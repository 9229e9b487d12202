import type { Provider } from '../../packages/core/src/provider-kit/provider.js';
import { allProviders } from '../../packages/core/src/providers/all-providers.js';
import { type AskedSearch, askedSearch } from '../../packages/core/src/search-options/asked-search.js';
import { unsupportedOptions } from '../../packages/core/src/search-options/option-support.js';
import type { SearchOptions } from '../../packages/core/src/search-options/search-options.js';
import type { UpstreamRequest } from '../../packages/core/src/upstream/upstream-client.js';
import { type Exchange, exchangesOf, requestsOf } from './ask-prism.js';
import type { KnownDocument } from './contract-documents.js';
import { asObject, bodySchema, type DocumentPart, type Part, partOf } from './openapi-document.js';
import { startPrism } from './prism.js';
import { unknownFields } from './unknown-fields.js';

/** How one model's requests stand beside the document. */
export interface ModelResult {
  readonly slug: string;
  /** Empty when everything is as documented. */
  readonly problems: readonly string[];
}

const API_KEY = 'a-key-for-the-contracts';
const PLACEHOLDER = 'http://placeholder.invalid';

type Settings = Readonly<Record<string, unknown>>;

/** Sends the requests of every model of a provider, with default and with all settings, and with the search options it honors, to Prism with the vendor's document. */
export async function checkContract(entry: KnownDocument, document: Part): Promise<ModelResult[]> {
  const variants: Settings[] = Object.keys(entry.settings).length === 0 ? [{}] : [{}, entry.settings];
  const defaults = createProvider(entry.provider, {});
  const slugs = defaults.models.map(({ slug }) => slug);
  const requests = await Promise.all(slugs.map((slug) => requestsOf(defaults, slug)));
  const part = partOf(document, requests.flat());
  const prism = await startPrism(part.document);
  try {
    const baseUrl = prism.url + (await ownPrefix(entry.provider));
    await assertChecks(prism.url, requests.flat(), part);
    const problems = new Map<string, string[]>(slugs.map((slug) => [slug, []]));
    for (const settings of variants) {
      const provider = createProvider(entry.provider, { ...settings, baseUrl });
      for (const slug of slugs) {
        for (const search of [undefined, ...searchesFor(provider, slug)]) {
          const exchanges = await exchangesOf(provider, slug, search);
          if (exchanges.length === 0) problems.get(slug)?.push('no request was answered');
          problems.get(slug)?.push(...exchanges.flatMap((exchange) => problemsOf(exchange, part.document)));
        }
      }
    }
    return slugs.map((slug) => ({ slug, problems: [...new Set(problems.get(slug))] }));
  } finally {
    await prism.stop();
  }
}

/** What can be asked of a search, in two questions, since no more goes together. */
const SEARCHES: readonly SearchOptions[] = [
  { includeDomains: ['example.org'], freshness: 'month', country: 'DE', language: 'de' },
  { excludeDomains: ['example.org'], publishedAfter: '2026-01-31', publishedBefore: '2026-02-28' },
];

/** The part of each search that a model honors. */
function searchesFor({ models }: Provider, slug: string): AskedSearch[] {
  const support = models.find((model) => model.slug === slug)?.options;
  return SEARCHES.map((search) => {
    const unsupported = unsupportedOptions(search, support) as string[];
    return Object.fromEntries(Object.entries(search).filter(([option]) => !unsupported.includes(option)));
  })
    .filter((search) => Object.keys(search).length > 0)
    .map((search) => askedSearch(search, Date.now()));
}

function createProvider(id: string, settings: Settings): Provider {
  const create = Object.entries(allProviders).find(([key]) => key === id)?.[1];
  if (create === undefined) throw new Error(`there is no provider ${id}`);
  return create({ apiKey: API_KEY, ...settings });
}

/** The path of a provider's own base URL, which is what its requests have beyond those to a bare host: `/v1`. */
async function ownPrefix(id: string): Promise<string> {
  const { models } = createProvider(id, {});
  const slug = models[0]?.slug ?? '';
  const pathWith = async (settings: Settings) =>
    (await requestsOf(createProvider(id, settings), slug))[0]?.url.pathname ?? '';
  const [whole, bare] = [await pathWith({}), await pathWith({ baseUrl: PLACEHOLDER })];
  return whole.slice(0, whole.length - bare.length);
}

/** Prism lets anything pass where a document has no schema. @throws Error unless it minds a body that is no object. */
async function assertChecks(prismUrl: string, requests: readonly UpstreamRequest[], part: DocumentPart): Promise<void> {
  const request = requests.find((candidate) => !part.undocumented.includes(candidate));
  if (request === undefined) throw new Error('the document knows none of the requests');
  const { method, url } = request;
  const headers = { ...request.headers, 'content-type': 'application/json' };
  const response = await fetch(prismUrl + url.pathname, { method, headers, body: '[]' });
  const problems = problemsSeen(response.status, await response.text());
  if (!problems.some((problem) => problem.startsWith('body')))
    throw new Error(`a list as the body of a request was not found invalid: ${problems.join('; ')}`);
}

function problemsOf({ request, response }: Exchange, document: Part): string[] {
  const unknown = unknownFields(document, bodySchema(document, request), request.json);
  return [
    ...problemsSeen(response.status, response.text),
    ...unknown.map((field) => `body.${field}: not a field of the document`),
  ];
}

/** What Prism reports about a request. Only a valid one is answered with 200. */
function problemsSeen(status: number, text: string): string[] {
  if (status === 200) return [];
  const { title, validation } = asObject(text.startsWith('{') ? JSON.parse(text) : {});
  if (!Array.isArray(validation)) return [`${status}: ${typeof title === 'string' ? title : text}`];
  return validation.map((detail: unknown) => {
    const { location, message } = asObject(detail);
    return `${Array.isArray(location) ? location.join('.') : ''}: ${String(message)}`;
  });
}
