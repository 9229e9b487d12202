import { RequestError } from '../base/errors/request-error.js';

const MAX_AUTHORIZATION_BYTES = 512;
/** One scheme, spaces, one token of RFC 6750's alphabet and the few printable characters people put into keys besides. */
const BEARER = /^bearer +([\x21-\x2b\x2d-\x7e]+) *$/i;

/**
 * Takes the token out of an `Authorization` header.
 *
 * @returns `null` where there is none that is well formed: {@link withoutToken} says why.
 */
export function findBearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_AUTHORIZATION_BYTES) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}

/**
 * What is wrong where there is no token: `missing_api_key` without a header; `malformed_authorization` for another scheme, no token, several
 * tokens, more than 512 bytes, or characters outside printable ASCII.
 */
export function withoutToken(authorization: string | undefined): RequestError {
  return new RequestError(authorization === undefined ? 'missing_api_key' : 'malformed_authorization');
}
