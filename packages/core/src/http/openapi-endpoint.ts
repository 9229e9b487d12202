import { madeIn } from '../base/made-in.js';
import { type HandlerDeps, type PublicEndpoint, READ_ONLY } from './endpoint.js';
import { createTaggedBody, type TaggedBody, taggedResponse } from './tagged-body.js';

/** Below the mount point. */
export const OPENAPI_PATH = '/api/v1/openapi.json';

/** `GET /api/v1/openapi.json`: the description of this gateway, for tools. The document is built at the first request, and its bytes are kept. */
export function openApiEndpoint({ describeApi }: Pick<HandlerDeps, 'describeApi'>): PublicEndpoint {
  const kept = new Map<string, Promise<TaggedBody>>();

  /** Does not keep a failure: the next request tries again. */
  async function make(server: string): Promise<TaggedBody> {
    try {
      return createTaggedBody(await describeApi(server));
    } catch (error) {
      kept.delete(server);
      throw error;
    }
  }

  return {
    name: 'openapi',
    ...READ_ONLY,
    async respond({ request }, { context }) {
      // The mount path, relative to the address of the document.
      const server = request.path === `${OPENAPI_PATH}/` ? '../../..' : '../..';
      return taggedResponse(await madeIn(kept, server, () => make(server)), request, context.requestId);
    },
  };
}
