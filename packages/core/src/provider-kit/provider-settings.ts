import { z } from 'zod';
import { parseOptions } from '../base/options/parse-options.js';
import { policiesSchema } from '../base/options/policies.js';
import { parseUrl } from '../base/parse-url.js';
import { byPort, CATEGORIES, CATEGORY_FACTS, type ProviderPort } from '../catalog/categories.js';
import type { ModelRow } from '../catalog/model-entry.js';
import { modelName } from './call-fields.js';
import { extraModelsSchema, rowOf } from './extra-models.js';
import { isApiKeySource, keyListSettings, keysOf, WANTED_KEY, withoutApiKey } from './key-list.js';
import type { ApiKeySource, Connection, Provider } from './provider.js';
import { providerLimitSettings } from './provider-limit-settings.js';

/** The models of a provider by the ports that serve them. */
export type ModelsOfPorts = { readonly [Port in ProviderPort]?: readonly ModelRow[] | undefined };

/** What differs between providers in the settings that all have. */
export interface CommonSettingsOptions {
  /** The ports whose requests name the model by the part of its slug behind the slash: hosts may add models to them. @default none */
  readonly byName?: readonly ProviderPort[] | undefined;
  /** Whether calls without a key are possible: `apiKey` may be missing, and no header authorizes then. @default `false` */
  readonly keyless?: boolean | undefined;
}

/**
 * The fields of {@link ProviderSettings} as part of a provider's own `z.strictObject`, to be read by {@link parseProviderSettings}.
 *
 * @param baseUrl the vendor's; `null` for a service of the host, who has to say where it is.
 * @param models the answer models; or the models of each port.
 */
export function commonSettings(
  baseUrl: string | null,
  models: readonly ModelRow[] | ModelsOfPorts,
  { byName = [], keyless = false }: CommonSettingsOptions = {},
) {
  const ofPorts: ModelsOfPorts = 'length' in models ? { answer: models } : models;
  const [first] = Object.values(ofPorts).flatMap((rows = []) => rows);
  const [id = ''] = first?.slug.split('/') ?? [];
  // The server and the examples read a key from this variable, such as `EXA_API_KEY`.
  const key = apiKeySetting(`${id.toUpperCase().replaceAll('-', '_')}_API_KEY`);
  const withoutFinalSlash = (given: string) => given.replace(/\/+$/, '');
  const url = z.string(BASE_URL).refine(isBaseUrl, BASE_URL).transform(withoutFinalSlash);
  const named = CATEGORIES.filter((category) => byName.includes(CATEGORY_FACTS[category].port));
  return {
    // An empty key stands for none: a key that is there is never empty.
    apiKey: keyless ? z.union([z.literal(''), key], WANTED_KEY).default('') : key,
    ...keyListSettings,
    baseUrl: baseUrl === null ? url : url.default(baseUrl),
    headers: z.record(z.string(), z.string('a text')).superRefine(checkHeaders).default({}).transform(lowerCaseNames),
    models: z.array(z.string('a model name'), 'an array of model names').min(1, 'at least one model name').optional(),
    extraModels: extraModelsSchema(id, named)
      .default([])
      .transform((extra) =>
        byPort((category) => [
          ...(ofPorts[CATEGORY_FACTS[category].port] ?? []),
          ...extra.filter((row) => row.category === category).map((row) => rowOf(row, { id, category })),
        ]),
      ),
    policies: policiesSchema.optional(),
    ...providerLimitSettings,
  };
}

type RowsOfPorts = Readonly<Record<ProviderPort, readonly ModelRow[]>>;

/** The models that the host wants. @throws ConfigurationError for the name of none. */
function wantedOf(rows: RowsOfPorts, models: readonly string[] | undefined, root: string): RowsOfPorts {
  if (models === undefined) return rows;
  const names = [...new Set([...rows.answer, ...Object.values(rows).flat()].map(modelName))];
  parseOptions(z.object({ models: z.array(z.enum(names, `one of ${names.join(', ')}`)) }), { models }, root);
  return byPort((category) => rows[CATEGORY_FACTS[category].port].filter((row) => models.includes(modelName(row))));
}

/**
 * The connection to another host of the provider. A `baseUrl` of the settings replaces all hosts.
 *
 * @param first the host that the settings name by default; @param other the host of some of the provider's endpoints.
 */
export function atHost(connection: Connection, first: string, other: string): Connection {
  return connection.baseUrl === first ? { ...connection, baseUrl: other } : connection;
}

type CommonSettings = z.ZodObject<ReturnType<typeof commonSettings>>;

/**
 * Checks the settings of a provider and splits them: the models of each port (`models` of answers, `modelsOf.search` and so on), `common` (limits and policies) for the
 * {@link Provider}, `connection` for requests, and `options` for the provider's own settings.
 *
 * @param schema includes the {@link commonSettings}.
 * @throws ConfigurationError listing every problem.
 */
export function parseProviderSettings<S extends z.ZodType<z.output<CommonSettings>>>(
  schema: S,
  settings: unknown,
  id: string,
) {
  const parsed = parseOptions(schema, withoutApiKey(settings, id), id);
  const { apiKey, apiKeys, pick, ...others } = parsed;
  const { baseUrl, headers, models, extraModels, policies, rateLimit, maxConcurrent, maxQueueMs, ...options } = others;
  const modelsOf = wantedOf(extraModels, models, id);
  const { keys, ...sources } = keysOf({ apiKey, apiKeys, pick });
  const connection: Connection = { ...sources, baseUrl, headers };
  const limits = { rateLimit, maxConcurrent, maxQueueMs };
  const common: Pick<Provider, 'limits' | 'policies' | 'keys'> = { limits, policies, ...(keys && { keys }) };
  return { models: modelsOf.answer, modelsOf, common, connection, options };
}

/** @param variable the environment variable that may hold the key. */
export function apiKeySetting(variable: string) {
  return z.custom<ApiKeySource>(isApiKeySource, {
    error: ({ input }) =>
      input === undefined || input === '' ? `${WANTED_KEY}. Set ${variable} or give apiKey` : WANTED_KEY,
  });
}

const BASE_URL = 'an http(s) URL without credentials, query or fragment';
const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/** Headers that authorize or frame the request. Only the adapter and the HTTP client may set them. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set(
  'authorization x-api-key x-goog-api-key accept-encoding connection content-length content-type expect host keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

function isBaseUrl(text: string): boolean {
  const url = /[?#]/.test(text) ? undefined : parseUrl(text);
  if (url === undefined) return false;
  const { protocol, username, password } = url;
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

function checkHeaders(headers: Record<string, string>, context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase();
    const problem =
      headerProblem(lowerCase, value) ?? (seen.has(lowerCase) ? 'a name that is not given twice' : undefined);
    if (problem !== undefined) context.addIssue({ code: 'custom', path: [name], message: problem });
    seen.add(lowerCase);
  }
}

function headerProblem(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name)) return 'the name of an HTTP header';
  if (RESERVED_HEADERS.has(name)) return 'no header that authorizes or frames the request';
  return HEADER_VALUE.test(value) ? undefined : 'printable ASCII';
}

function lowerCaseNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
