import { errorReply, invalidReply } from './error-reply.js';
import type { Settings } from './read-options.js';
import { replyJson } from './reply-text.js';
import type { WireRequest } from './requests.js';
import { clientError } from './searchgate-error.js';

/**
 * Sends a request. @returns a response with a status of 2xx, its body unread.
 *
 * @throws SearchgateError for every other one.
 */
export async function send(settings: Settings, request: WireRequest, signal: AbortSignal): Promise<Response> {
  const { method, path, body } = request;
  const headers = new Headers(settings.headers);
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, value);
  let response: Response;
  try {
    // Followed, a redirect could take the key to another origin. `manual`, because Cloudflare Workers refuses `error`: https://github.com/cloudflare/cloudflare-docs/pull/33362 (2026-11-22).
    const init: RequestInit = { method, headers, redirect: 'manual', signal };
    if (body !== undefined) init.body = body;
    response = await settings.fetch(`${settings.baseUrl}/api/v1${path}`, init);
  } catch (cause) {
    throw clientError('connection_failed', { retryable: true, cause });
  }
  if (!response.ok) throw await errorReply(response);
  return response;
}

/**
 * Reads the body of a 200 as JSON.
 *
 * @param isBody a look at what tells this body from that of another server.
 * @throws SearchgateError
 */
export async function readBody<T>(response: Response, isBody: (body: T) => boolean): Promise<T> {
  const body = await replyJson(response);
  if (typeof body !== 'object' || body === null || !isBody(body as T)) throw invalidReply(response);
  return body as T;
}
