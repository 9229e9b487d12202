import { RequestError } from '../errors/request-error.js';

const MAX_AUTHORIZATION_BYTES = 512;
/** One scheme, spaces, one token of RFC 6750's alphabet and the few printable characters people put into keys besides. */
const BEARER = /^bearer +([\x21-\x2b\x2d-\x7e]+) *$/i;

/**
 * Takes the token out of an `Authorization` header.
 *
 * @throws RequestError `missing_api_key` without a header; `malformed_authorization` for another scheme, no token, several tokens, more
 * than 512 bytes, or characters outside printable ASCII.
 */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw new RequestError('missing_api_key');
  const token = findBearerToken(authorization);
  if (token === null) throw new RequestError('malformed_authorization');
  return token;
}

/** @returns `null` where there is no token, or none that is well formed. */
export function findBearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > MAX_AUTHORIZATION_BYTES) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}
