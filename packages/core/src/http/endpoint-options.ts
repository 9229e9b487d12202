import { z } from 'zod';
import { port } from '../base/options/option-schemas.js';
import type { Extension } from './extension.js';

/** Paths in addition to the four endpoints. A path that is not enabled is left to the host. */
export interface EndpointOptions {
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

export const endpointsSchema = z.strictObject(
  {
    openapi: z.union([z.boolean(), z.literal('key')], 'true, false or "key"').optional(),
    chatCompletions: z.boolean('true or false').optional(),
    usage: z.boolean('true or false').optional(),
    mcp: port<Extension>(['respond'], 'mcp() of @searchgate/mcp').optional(),
  },
  'an object such as { openapi: true }',
);
