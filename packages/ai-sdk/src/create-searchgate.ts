import {
  type EmbeddingModelV4,
  InvalidArgumentError,
  type LanguageModelV4,
  NoSuchModelError,
  type ProviderV4,
  type RerankingModelV4,
} from '@ai-sdk/provider';
import type { FetchFunction, Tool } from '@ai-sdk/provider-utils';
import { embeddingModel } from './embedding-model.js';
import { languageModel } from './language-model.js';
import { rerankingModel } from './reranking-model.js';
import { searchTool } from './search-tool.js';
import type { SearchgateModelSettings, SearchToolSettings } from './searchgate-options.js';
import type { Connection } from './send-call.js';
import { sendableHeaders } from './sendable-headers.js';
import type { SearchToolOutput } from './wire.js';

/** Where the gateway is, and who calls it. */
export interface SearchgateSettings {
  /** Where the gateway is mounted, such as `https://api.example.com/search`. */
  readonly baseUrl: string;
  /** The caller's API key. `null` sends no key, for a gateway that identifies its callers by other means. */
  readonly apiKey: string | null;
  /** Sent with every request. Headers of a call replace headers of the same name. @default none */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Makes the requests. It has to honor the option `redirect`: redirects are not followed. @default the global `fetch` */
  readonly fetch?: FetchFunction | undefined;
}

/** The models of one gateway, by their slugs. */
export interface SearchgateProvider extends ProviderV4 {
  /**
   * @param slug such as `exa/answer`, or an alias or group of the operator. The gateway refuses an unknown slug when a call is made.
   * @throws InvalidArgumentError for wrong settings.
   */
  (slug: string, settings?: SearchgateModelSettings): LanguageModelV4;
  /** The same function under the name that the AI SDK expects. */
  languageModel(slug: string, settings?: SearchgateModelSettings): LanguageModelV4;
  /** @param slug of an embedding model, such as `openai/text-embedding-3-small`. */
  embeddingModel(slug: string): EmbeddingModelV4;
  /** @param slug of a rerank model, such as `cohere/rerank-v4.0-pro`. */
  rerankingModel(slug: string): RerankingModelV4;
  /** A tool for `generateText` with a model of another provider: finds pages, and marks their text as untrusted. */
  searchTool(settings?: SearchToolSettings): Tool<{ query: string }, SearchToolOutput>;
}

/**
 * A provider for the AI SDK that asks a Searchgate gateway. The functions for images, speech and transcription throw `NoSuchModelError`.
 *
 * @throws InvalidArgumentError for a `baseUrl` that is not an HTTP address, and for an invalid `apiKey` or header.
 */
export function createSearchgate(settings: SearchgateSettings): SearchgateProvider {
  const connection = connectionOf(settings);
  const create = (slug: string, own?: SearchgateModelSettings) => languageModel(slug, own, connection);
  return Object.assign((slug: string, own?: SearchgateModelSettings) => create(slug, own), {
    specificationVersion: 'v4' as const,
    languageModel: create,
    embeddingModel: (slug: string) => embeddingModel(slug, connection),
    imageModel: none('imageModel'),
    transcriptionModel: none('transcriptionModel'),
    speechModel: none('speechModel'),
    rerankingModel: (slug: string) => rerankingModel(slug, connection),
    searchTool: (own?: SearchToolSettings) => searchTool(own, connection),
  });
}

function connectionOf({ baseUrl, apiKey, headers, fetch }: SearchgateSettings): Connection {
  if (apiKey !== null && !isKey(apiKey))
    wrong('apiKey', 'expected an API key of printable ASCII characters without spaces, or null for none');
  const authorization = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
  return {
    mount: mountOf(baseUrl),
    headers: { ...authorization, ...sendableHeaders(headers) },
    fetch,
  };
}

/** JavaScript callers may pass an unset environment variable. */
function isKey(apiKey: string | undefined): boolean {
  return apiKey !== undefined && /^[!-~]+$/.test(apiKey);
}

function mountOf(baseUrl: string): string {
  const { protocol, origin, pathname, username, password, search, hash } = URL.canParse(baseUrl)
    ? new URL(baseUrl)
    : NOWHERE;
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '') {
    wrong(
      'baseUrl',
      'expected the address at which the gateway is mounted, such as https://api.example.com/search, without a user, a query or a fragment',
    );
  }
  return origin + pathname.replace(/\/$/, '');
}

const NOWHERE = new URL('about:blank');

function wrong(argument: string, message: string): never {
  throw new InvalidArgumentError({ argument, message: `Searchgate: ${argument}: ${message}` });
}

function none(modelType: ConstructorParameters<typeof NoSuchModelError>[0]['modelType']) {
  return (modelId: string): never => {
    throw new NoSuchModelError({ modelId, modelType });
  };
}
