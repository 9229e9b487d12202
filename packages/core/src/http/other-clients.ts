import { RequestError } from '../base/errors/request-error.js';
import type { Endpoint } from './endpoint.js';

/** `tavily-js`, `tavily-python` (@tavily/core 0.7.13, tavily-python at 01d5e70, read 2026-11-29); a proxy or a wrapper may put names around. */
const TAVILY = /tavily/i;

/**
 * A path in the gateway's own form. Tavily's clients send names that the form has too: their calls would be charged, and the clients fail at the reply. The
 * paths of dialects do not pass here.
 */
export function inOwnForm(endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    checkHeaders(request) {
      if (TAVILY.test(request.header('x-client-source') ?? '')) {
        const note =
          "This path does not speak the form of Tavily's own clients. Their base URL is /api/v1/tavily, where the host serves that path.";
        throw new RequestError('unsupported_field', { param: 'X-Client-Source', note });
      }
      endpoint.checkHeaders(request);
    },
  };
}
