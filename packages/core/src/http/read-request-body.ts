import { isUtf8 } from 'node:buffer';
import { RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import { countJson, type JsonCounts, tryJson } from '../base/json-counts.js';
import type { Clock } from '../base/time/clock.js';
import type { InFlightRequests } from '../limits/in-flight-requests.js';
import type { GatewayRequest, RequestBody } from './gateway-request.js';

/** Reads the JSON object of a request. Returns a promise only for a body that has not arrived. @throws RequestError */
export type ReadRequestBody = (request: GatewayRequest, organizationId: string) => JsonObject | Promise<JsonObject>;

/**
 * Builds the reader of request bodies. A body takes a slot until it has arrived; a body that has already arrived takes no slot.
 *
 * @param content what a body may have at most.
 * @param longest the largest body of a path whose bodies are long, which has slots of its own. Default: the gateway's limit.
 */
export function createBodyReader(
  { admission, limits, clock, logger }: BodyReaderDeps,
  content: JsonLimits,
  longest?: number,
): ReadRequestBody {
  const { bodyTimeoutMs } = limits;
  const maxBodyBytes = longest ?? limits.maxBodyBytes;
  const bodyReads = longest === undefined ? admission.bodyReads : admission.longBodyReads;
  const bodyLimits = { maxBodyBytes, bodyTimeoutMs, clock };
  const parse = (body: RequestBody) => {
    if (!('parsed' in body) || body.parsed !== undefined) return parseJsonObject(body, content);
    const cause = new Error(BODY_GONE);
    logger.error({ error: cause }, 'the host left nothing of a request body');
    throw new RequestError('hook_failed', { note: BODY_GONE, cause });
  };

  async function readWithSlot(request: GatewayRequest, organizationId: string): Promise<JsonObject> {
    bodyReads.take(organizationId);
    try {
      return parse(await request.readBody(bodyLimits));
    } finally {
      bodyReads.free(organizationId);
    }
  }

  return (request, organizationId) => {
    if (request.bodyHasArrived !== true) return readWithSlot(request, organizationId);
    const body = request.readBody(bodyLimits);
    return 'then' in body ? body.then(parse) : parse(body);
  };
}

const BODY_GONE =
  'It read the body before the gateway: mount the gateway before the body parser, or leave the body in req.body (Koa: ctx.request.body; fetch: pass a clone).';

interface BodyReaderDeps {
  readonly admission: Pick<InFlightRequests, 'bodyReads' | 'longBodyReads'>;
  readonly limits: { readonly maxBodyBytes: number; readonly bodyTimeoutMs: number };
  readonly clock: Clock;
  readonly logger: Logger;
}

/** `application/json` itself, or any type with the `+json` suffix (RFC 6839). */
const JSON_ESSENCE = /^(?:application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)$/;
const UTF8_CHARSET = /^charset="?utf-?8"?$/;

/**
 * Refuses a body by its headers, before it is read.
 *
 * @throws RequestError `unsupported_media_type`, or `request_too_large` when the `content-length` is too large.
 */
export function checkBodyHeaders(request: GatewayRequest, maxBodyBytes: number): void {
  const isIdentity = /^(?:identity)?$/i.test(request.header('content-encoding') ?? '');
  if (!isIdentity || !isJsonInUtf8(request.header('content-type') ?? ''))
    throw new RequestError('unsupported_media_type');
  if (Number(request.header('content-length') ?? 0) > maxBodyBytes)
    throw new RequestError('request_too_large', { details: { maxBodyBytes } });
}

function isJsonInUtf8(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [essence = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  return (
    JSON_ESSENCE.test(essence) &&
    parameters.every((parameter) => !parameter.startsWith('charset=') || UTF8_CHARSET.test(parameter))
  );
}

const BYTE_ORDER_MARK = 0xfeff;

/** A JSON object whose fields have not been checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What a body may have at most. Parsing a body of 2 MiB could take half a second otherwise. */
export type JsonLimits = Pick<JsonCounts, 'depth' | 'keys' | 'values'>;

/** Enough for 2,048 texts. */
export const FLAT_BODY: JsonLimits = { depth: 32, keys: 2_000, values: 20_000 };
/** For a JSON Schema of 16 KiB, for messages in parts, and for 1,000 documents as objects. */
export const NESTED_BODY: JsonLimits = { ...FLAT_BODY, keys: 10_000 };

/**
 * Parses a request body to a JSON object. The limits also hold for a body that the host's parser has parsed.
 *
 * @throws RequestError `malformed_json` when the body is not UTF-8, not JSON, not an object, or beyond a limit, which the message names.
 */
export function parseJsonObject(body: RequestBody, limits: JsonLimits): JsonObject {
  const value = 'bytes' in body ? parseBytes(body.bytes, limits) : body.parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RequestError('malformed_json', { note: whyNoObject(body, value) });
  if (!('bytes' in body)) refuseBeyond(limits, countParsed(value, limits));
  return value as JsonObject;
}

function whyNoObject(body: RequestBody, value: unknown): string {
  if ('bytes' in body && body.bytes.length === 0) return 'It is empty.';
  return value === undefined ? 'It is not JSON in UTF-8.' : 'It is JSON, but no object.';
}

function parseBytes(bytes: Uint8Array, limits: JsonLimits): unknown {
  // Decoding would silently replace broken characters, and the changed query would go to a provider.
  if (!isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  refuseBeyond(limits, countJson(text));
  // Some Windows tools write a byte order mark. RFC 8259 lets a parser ignore it, and the hosts' body parsers do. The parser's own message quotes the body.
  return tryJson(() => JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text) as unknown);
}

function refuseBeyond(limits: JsonLimits, counts: JsonLimits): void {
  const beyond = beyondLimit(counts, limits);
  if (beyond !== undefined) throw new RequestError('malformed_json', { note: beyond });
}

/** The note of the first limit that is exceeded. */
function beyondLimit(counts: JsonLimits, limits: JsonLimits): string | undefined {
  if (counts.depth > limits.depth) return `It is nested more than ${limits.depth} levels deep.`;
  if (counts.keys > limits.keys) return `It has more than ${limits.keys.toLocaleString('en-US')} keys.`;
  if (counts.values > limits.values) return `It has more than ${limits.values.toLocaleString('en-US')} values.`;
  return undefined;
}

/** Counts like {@link countJson}, as far as the limits. Parsers of other formats give values that contain a value many times, or themselves. */
function countParsed(body: object, limits: JsonLimits): JsonLimits {
  const counts = { depth: 0, keys: 0, values: 0 };
  function count(value: object, depth: number): void {
    const children: unknown[] = Object.values(value);
    if (depth > counts.depth) counts.depth = depth;
    counts.values += Math.max(1, children.length);
    if (!Array.isArray(value)) counts.keys += children.length;
    for (const child of children) {
      if (typeof child !== 'object' || child === null) continue;
      if (beyondLimit(counts, limits) !== undefined) return;
      count(child, depth + 1);
    }
  }
  count(body, 1);
  return counts;
}
