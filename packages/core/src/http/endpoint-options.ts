import { z } from 'zod';
import { count, port } from '../base/options/option-schemas.js';
import type { Category } from '../catalog/model-entry.js';
import type { Extension } from './extension.js';

/** The paths that serve models, by category. */
export const CATEGORY_PATHS = {
  answer: '/api/v1/answer',
  search: '/api/v1/search',
  extract: '/api/v1/extract',
  rerank: '/api/v1/rerank',
  embedding: '/api/v1/embeddings',
} as const satisfies Record<Category, string>;

/** The categories whose calls are no questions, with the names of their options and events. */
export const CATEGORY_ENDPOINTS = {
  search: 'search',
  extract: 'extract',
  rerank: 'rerank',
  embedding: 'embeddings',
} as const satisfies Record<Exclude<Category, 'answer'>, keyof EndpointOptions>;

/** The name of a kind of calls that are no questions, in options, events and paths. */
export type CapabilityName = (typeof CATEGORY_ENDPOINTS)[keyof typeof CATEGORY_ENDPOINTS];

/** A path of models, or `false` to leave the path to the host. */
export type CategoryEndpoint = boolean | { readonly defaultModel?: string | undefined };

/** A path whose requests are long. */
export type LongInputEndpoint =
  | boolean
  | {
      readonly defaultModel?: string | undefined;
      /** Largest request body. Default 2 MiB. */
      readonly maxBodyBytes?: number | undefined;
      /** Longest texts of a call together, also in process. Default 1,000,000 characters. */
      readonly maxInputCharacters?: number | undefined;
    };

/** Paths in addition to the four endpoints. A path that is off is left to the host. */
export interface EndpointOptions {
  /**
   * `POST /api/v1/search`: finds pages. `{ defaultModel: 'exa/auto' }` is the model, alias or group of requests that name none. `false` leaves the path to
   * the host, and lists search models as not callable; `gateway.search()` works either way. Default: on, as soon as a provider has search models.
   */
  readonly search?: CategoryEndpoint | undefined;
  /** `POST /api/v1/extract`: reads pages. As `search`. */
  readonly extract?: CategoryEndpoint | undefined;
  /** `POST /api/v1/rerank` and `/api/v2/rerank`: sorts documents by relevance. As `search`. */
  readonly rerank?: LongInputEndpoint | undefined;
  /** `POST /api/v1/embeddings`: makes vectors of texts. As `search`. */
  readonly embeddings?: LongInputEndpoint | undefined;
  /** `GET /api/v1/openapi.json`: the OpenAPI 3.1 document of this gateway. `true` for everyone, `'key'` for callers with a key. Default `false`. */
  readonly openapi?: boolean | 'key' | undefined;
  /** `POST /api/v1/chat/completions`: questions in the form of OpenAI's Chat Completions API. Default: `false`. */
  readonly chatCompletions?: boolean | undefined;
  /** `POST /api/v1/responses`: questions in the form of OpenAI's Responses API. Default: `false`. */
  readonly responses?: boolean | undefined;
  /**
   * `GET /api/v1/usage` and `GET /api/v1/answers/{id}`: the calling key's usage by day, model or tag, and the status of one of its answers. Default:
   * `false`.
   */
  readonly usage?: boolean | undefined;
  /**
   * Answers that take minutes: `Prefer: respond-async` on `POST /api/v1/answer`, and `GET` and `DELETE /api/v1/answers/{id}`. Needs a store of
   * idempotency keys, which keeps these answers for `idempotencyTtlMs`. Default: `false`.
   */
  readonly asyncAnswers?: boolean | undefined;
  /** `POST /api/v1/mcp`: the gateway as tools for agents: `mcp()` of `@searchgate/mcp`. Default: none. */
  readonly mcp?: Extension | undefined;
}

const categoryEndpoint = z
  .union(
    [z.boolean(), z.strictObject({ defaultModel: z.string().min(1).optional() })],
    'true, false or an object such as { defaultModel: "exa/auto" }',
  )
  .optional();

const DEFAULT_INPUT = { maxBodyBytes: 2 * 1_024 * 1_024, maxInputCharacters: 1_000_000 };
const longInputEndpoint = z
  .union(
    [
      z.boolean(),
      z.strictObject({
        defaultModel: z.string().min(1).optional(),
        maxBodyBytes: count(64, 64 * 1_024 * 1_024).optional(),
        maxInputCharacters: count(1, 64 * 1_024 * 1_024).optional(),
      }),
    ],
    'true, false or an object such as { defaultModel: "cohere/rerank-v4.0-pro" }',
  )
  .optional();

export const endpointsSchema = z.strictObject(
  {
    search: categoryEndpoint,
    extract: categoryEndpoint,
    rerank: longInputEndpoint,
    embeddings: longInputEndpoint,
    openapi: z.union([z.boolean(), z.literal('key')], 'true, false or "key"').optional(),
    chatCompletions: z.boolean('true or false').optional(),
    responses: z.boolean('true or false').optional(),
    usage: z.boolean('true or false').optional(),
    asyncAnswers: z.boolean('true or false').optional(),
    mcp: port<Extension>(['respond'], 'mcp() of @searchgate/mcp').optional(),
  },
  'an object such as { openapi: true }',
);

/** The model of requests that name none; `undefined` for no such model. */
export function defaultModelOf(endpoint: CategoryEndpoint | undefined): string | undefined {
  return typeof endpoint === 'object' ? endpoint.defaultModel : undefined;
}

/** How the fields of a path are read, apart from their names. */
export function fieldLimitsOf(endpoint: CategoryEndpoint | LongInputEndpoint | undefined, maxQueryCharacters: number) {
  const { maxInputCharacters } = inputLimitsOf(endpoint);
  return { maxQueryCharacters, maxInputCharacters, defaultModel: defaultModelOf(endpoint) };
}

/** The limits of a path whose requests are long. */
export function inputLimitsOf(endpoint: LongInputEndpoint | undefined): typeof DEFAULT_INPUT {
  const { maxBodyBytes, maxInputCharacters } = typeof endpoint === 'object' ? endpoint : DEFAULT_INPUT;
  return {
    maxBodyBytes: maxBodyBytes ?? DEFAULT_INPUT.maxBodyBytes,
    maxInputCharacters: maxInputCharacters ?? DEFAULT_INPUT.maxInputCharacters,
  };
}
