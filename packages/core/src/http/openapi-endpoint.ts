import { type HandlerDeps, type PublicEndpoint, READ_ONLY } from './endpoint.js';
import { createTaggedBody, type TaggedBody, taggedResponse } from './tagged-body.js';

/** Below the mount point. */
export const OPENAPI_PATH = '/api/v1/openapi.json';

/** `GET /api/v1/openapi.json`: what this gateway serves, for tools. The document is made for the first request, and its bytes are kept. */
export function openApiEndpoint({ describeApi }: Pick<HandlerDeps, 'describeApi'>): PublicEndpoint {
  let kept: Promise<TaggedBody> | undefined;

  /** What could not be made is not kept: the next request tries again. */
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
    async respond({ request }, { trace }) {
      kept ??= make();
      return taggedResponse(await kept, request, trace.requestId);
    },
  };
}
