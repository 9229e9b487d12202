import { RequestError } from '../base/errors/request-error.js';

const MAX_AUTHORIZATION_BYTES = 512;
/** The scheme, spaces, and a token of printable ASCII characters except the comma: RFC 6750's alphabet and other characters that people use in keys. */
const BEARER = /^bearer +([\x21-\x2b\x2d-\x7e]+) *$/i;

/**
 * Returns the token of an `Authorization` header.
 *
 * @returns `null` without a well-formed token: {@link withoutToken} tells why.
 */
export function findBearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_AUTHORIZATION_BYTES) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}

/**
 * The error for a header without a token: `missing_api_key` without a header; `malformed_authorization` for another scheme, no token, several tokens, more than
 * 512 bytes, or characters outside printable ASCII.
 */
export function withoutToken(authorization: string | undefined): RequestError {
  return new RequestError(authorization === undefined ? 'missing_api_key' : 'malformed_authorization');
}
