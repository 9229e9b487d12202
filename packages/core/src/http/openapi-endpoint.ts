import { type HandlerDeps, type PublicEndpoint, READ_ONLY } from './endpoint.js';
import { createTaggedBody, type TaggedBody, taggedResponse } from './tagged-body.js';

/** Below the mount point. */
export const OPENAPI_PATH = '/api/v1/openapi.json';

/** `GET /api/v1/openapi.json`: the description of this gateway, for tools. The document is built at the first request, and its bytes are kept. */
export function openApiEndpoint({ describeApi }: Pick<HandlerDeps, 'describeApi'>): PublicEndpoint {
  let kept: Promise<TaggedBody> | undefined;

  /** Does not keep a failure: the next request tries again. */
  async function make(): Promise<TaggedBody> {
    try {
      return createTaggedBody(await describeApi());
    } catch (error) {
      kept = undefined;
      throw error;
    }
  }

  return {
    name: 'openapi',
    ...READ_ONLY,
    async respond({ request }, { context }) {
      kept ??= make();
      return taggedResponse(await kept, request, context.requestId);
    },
  };
}
