import { RequestError } from '../base/errors/request-error.js';
import type { HandlerDeps } from './endpoint.js';
import type { GatewayRequest, RequestBody } from './gateway-request.js';
import { type JsonLimits, type JsonObject, parseJsonObject } from './parse-json.js';

/** Reads the JSON object of a request. Returns a promise only for a body that has not arrived. @throws RequestError */
export type ReadRequestBody = (request: GatewayRequest, organizationId: string) => JsonObject | Promise<JsonObject>;

/**
 * Builds the reader of request bodies. A body takes a slot until it has arrived; a body that has already arrived takes no slot.
 *
 * @param content what a body may have at most.
 * @param longest the largest body of a path whose bodies are long, which has slots of its own. Default: the gateway's limit.
 */
export function createBodyReader(
  { admission, limits, clock }: BodyReaderDeps,
  content: JsonLimits,
  longest?: number,
): ReadRequestBody {
  const { bodyTimeoutMs } = limits;
  const maxBodyBytes = longest ?? limits.maxBodyBytes;
  const bodyReads = longest === undefined ? admission.bodyReads : admission.longBodyReads;
  const bodyLimits = { maxBodyBytes, bodyTimeoutMs, clock };
  const parse = (body: RequestBody) => parseJsonObject(body, content);

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

type BodyReaderDeps = Pick<HandlerDeps, 'admission' | 'limits' | 'clock'>;

/** `application/json` itself, or any type with the `+json` suffix (RFC 6839). */
const JSON_ESSENCE = /^(?:application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)$/;
const UTF8_CHARSET = /^charset="?utf-?8"?$/;

/**
 * Refuses a body by its headers, before it is read.
 *
 * @throws RequestError `unsupported_media_type`, or `request_too_large` when the `content-length` is too large.
 */
export function checkBodyHeaders(request: GatewayRequest, maxBodyBytes: number): void {
  if (!isJsonInUtf8(request.header('content-type') ?? '') || !isIdentity(request.header('content-encoding') ?? '')) {
    throw new RequestError('unsupported_media_type');
  }
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

function isIdentity(contentEncoding: string): boolean {
  return contentEncoding === '' || contentEncoding.toLowerCase() === 'identity';
}
