import { createHash } from 'node:crypto';
import { commonHeaders, type GatewayRequest, type GatewayResponse, JSON_UTF8 } from './gateway-request.js';

/** A JSON body that is built once and sent many times. */
export type TaggedBody = ReturnType<typeof createTaggedBody>;

export function createTaggedBody(text: string) {
  const body = Buffer.from(text);
  // Strong: two bodies with the same tag are the same bytes.
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, contentLength: String(body.byteLength), etag };
}

/** Responds with the body, or with 304 when the caller already has it. */
export function taggedResponse(
  { body, contentLength, etag }: TaggedBody,
  request: Pick<GatewayRequest, 'header'>,
  requestId: string,
): GatewayResponse {
  const headers = { etag, 'cache-control': CACHE_CONTROL, ...commonHeaders(requestId) };
  if (matches(request.header('if-none-match'), etag)) return { status: 304, headers, body: null };
  return { status: 200, headers: { 'content-type': JSON_UTF8, 'content-length': contentLength, ...headers }, body };
}

const CACHE_CONTROL = 'private, max-age=60';

/** Compares weakly, as RFC 9110 §13.1.2 requires for `If-None-Match`: a tag that a compressing proxy made weak still matches. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return ifNoneMatch.trim() === '*' || tags.includes(etag);
}
