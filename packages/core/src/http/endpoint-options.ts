import { z } from 'zod';
import { port } from '../base/options/option-schemas.js';
import type { Category } from '../catalog/model-entry.js';
import type { Extension } from './extension.js';

/** The paths that serve models, by category. */
export const CATEGORY_PATHS = {
  answer: '/api/v1/answer',
  search: '/api/v1/search',
  extract: '/api/v1/extract',
} as const satisfies Partial<Record<Category, string>>;

/** A path of models, or `false` to leave the path to the host. */
export type CategoryEndpoint = boolean | { readonly defaultModel?: string | undefined };

/** Paths in addition to the four endpoints. A path that is off is left to the host. */
export interface EndpointOptions {
  /**
   * `POST /api/v1/search`: finds pages. `{ defaultModel: 'exa/auto' }` is the model, alias or group of requests that name none. `false` leaves the path to
   * the host, and lists search models as not callable; `gateway.search()` works either way. Default: on, as soon as a provider has search models.
   */
  readonly search?: CategoryEndpoint | undefined;
  /** `POST /api/v1/extract`: reads pages. As `search`. */
  readonly extract?: CategoryEndpoint | undefined;
  /** `GET /api/v1/openapi.json`: the OpenAPI 3.1 document of this gateway. `true` for everyone, `'key'` for callers with a key. Default `false`. */
  readonly openapi?: boolean | 'key' | undefined;
  /** `POST /api/v1/chat/completions`: questions in the form of OpenAI's Chat Completions API. Default: `false`. */
  readonly chatCompletions?: boolean | undefined;
  /**
   * `GET /api/v1/usage` and `GET /api/v1/answers/{id}`: the calling key's usage by day, model or tag, and the status of one of its answers. Default:
   * `false`.
   */
  readonly usage?: boolean | undefined;
  /** `POST /api/v1/mcp`: the gateway as tools for agents: `mcp()` of `@searchgate/mcp`. Default: none. */
  readonly mcp?: Extension | undefined;
}

const categoryEndpoint = z
  .union(
    [z.boolean(), z.strictObject({ defaultModel: z.string().min(1).optional() })],
    'true, false or an object such as { defaultModel: "exa/auto" }',
  )
  .optional();

export const endpointsSchema = z.strictObject(
  {
    search: categoryEndpoint,
    extract: categoryEndpoint,
    openapi: z.union([z.boolean(), z.literal('key')], 'true, false or "key"').optional(),
    chatCompletions: z.boolean('true or false').optional(),
    usage: z.boolean('true or false').optional(),
    mcp: port<Extension>(['respond'], 'mcp() of @searchgate/mcp').optional(),
  },
  'an object such as { openapi: true }',
);

/** The model of requests that name none; `undefined` for no such model. */
export function defaultModelOf(endpoint: CategoryEndpoint | undefined): string | undefined {
  return typeof endpoint === 'object' ? endpoint.defaultModel : undefined;
}
