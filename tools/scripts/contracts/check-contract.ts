import { Ajv2020 } from 'ajv/dist/2020.js';
import { UpstreamError } from '../../../packages/core/src/base/errors/upstream-error.js';
import { type AskedSearch, resolvedSearch } from '../../../packages/core/src/base/search-options/asked-search.js';
import { unsupportedOptions } from '../../../packages/core/src/base/search-options/option-support.js';
import type { SearchOptions } from '../../../packages/core/src/base/search-options/search-options.js';
import type { Provider } from '../../../packages/core/src/provider-kit/provider.js';
import * as allProviders from '../../../packages/core/src/providers/index.js';
import type { UpstreamRequest } from '../../../packages/core/src/upstream/upstream-client.js';
import type { KnownDocument } from './contract-documents.js';
import { asObject, bodySchema, type Part } from './openapi.js';
import { unknownFields } from './unknown-fields.js';

/** The result of comparing one model's requests with the document. */
export interface ModelResult {
  readonly slug: string;
  /** Empty for documented requests. */
  readonly problems: readonly string[];
}

/** All search options, in two questions, since no question may have all of them. */
const SEARCHES: readonly SearchOptions[] = [
  {},
  { includeDomains: ['example.org'], freshness: 'month', country: 'DE', language: 'de', topic: 'news' },
  { excludeDomains: ['example.org'], publishedAfter: '2026-01-31', publishedBefore: '2026-02-28' },
];

/** Compares the requests of a provider's models with the vendor's document: with default settings, all settings and search options. */
export async function checkContract(entry: KnownDocument, document: Part): Promise<ModelResult[]> {
  const problems = new Map<string, Set<string>>();
  const problemsOf = requestChecker(document);
  for (const settings of [{}, entry.settings]) {
    const provider = createProvider(entry.provider, settings);
    for (const { slug, options } of provider.models) {
      const found = problems.get(slug) ?? new Set();
      problems.set(slug, found);
      for (const search of SEARCHES) {
        const unsupported: readonly string[] = unsupportedOptions(search, options);
        const supported = Object.entries(search).filter(([option]) => !unsupported.includes(option));
        const asked = supported.length === 0 ? undefined : resolvedSearch(Object.fromEntries(supported), Date.now());
        for (const problem of problemsOf(await firstRequest(provider, slug, asked))) found.add(problem);
      }
    }
  }
  return [...problems].map(([slug, found]) => ({ slug, problems: [...found] }));
}

/** Finds the undocumented parts of a request. */
export function requestChecker(
  document: Part,
): (request: Pick<UpstreamRequest, 'json' | 'method' | 'url'>) => string[] {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    allErrors: true,
    logger: false,
  });
  const whole = JSON.parse(JSON.stringify(document), asDraft2020) as object;
  ajv.addSchema(whole, 'document');
  return (request) => {
    const schema = bodySchema(whole, request);
    if (schema === null) return ['path: not in the document'];
    const validate = ajv.compile(withAbsoluteReferences(schema));
    if (validate([])) return ['body: the document lets even a list pass'];
    validate(request.json);
    return [
      ...(validate.errors ?? []).map(
        ({ instancePath, message }) => `body${instancePath.replaceAll('/', '.')}: ${message}`,
      ),
      ...unknownFields(whole, schema, request.json).map((field) => `body.${field}: not a field of the document`),
    ];
  };
}

/** OpenAPI 3.0 has keywords that Ajv refuses. */
function asDraft2020(_key: string, value: Part): Part {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { nullable, exclusiveMinimum, exclusiveMaximum, ...rest } = value as Record<string, Part>;
  const bounds = Object.entries({ exclusiveMinimum, exclusiveMaximum }).filter(
    ([, bound]) => typeof bound === 'number',
  );
  const schema = { ...rest, ...Object.fromEntries(bounds) };
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function withAbsoluteReferences(schema: Part): object {
  const absolute = (key: string, value: Part): Part =>
    key === '$ref' && typeof value === 'string' && value.startsWith('#') ? `document${value}` : value;
  return asObject(JSON.parse(JSON.stringify(schema), absolute));
}

function createProvider(id: string, settings: Readonly<Record<string, unknown>>): Provider {
  const create = Object.entries(allProviders).find(([key]) => key === id)?.[1];
  if (create === undefined) throw new Error(`there is no provider ${id}`);
  return create({ apiKey: 'a-key-for-the-contracts', ...settings });
}

/** Captures the first request of a provider for a model, without sending it. */
async function firstRequest(
  { models, answer }: Provider,
  slug: string,
  search?: AskedSearch,
): Promise<UpstreamRequest> {
  const requests: UpstreamRequest[] = [];
  const send = (request: UpstreamRequest) => {
    requests.push(request);
    return Promise.reject(new UpstreamError('upstream_unreachable', { phase: 'connect' }));
  };
  const model = models.find((candidate) => candidate.slug === slug);
  if (answer === undefined) throw new Error(`${slug} answers no questions`);
  const call = { model, query: 'When did the “Zephyr Bridge” open?', search } as Parameters<typeof answer.answer>[0];
  await answer.answer(call, { upstream: { send }, signal: new AbortController().signal }).catch(() => undefined);
  const [request] = requests;
  if (request === undefined) throw new Error(`${slug} sent no request`);
  return request;
}
