import { RequestError } from '../base/errors/request-error.js';
import type { GatewayRequest } from './gateway-request.js';

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
