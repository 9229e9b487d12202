import { createHash, randomBytes } from 'node:crypto';
import type { AuthenticatedRequest } from '@searchgate/core';
import type { Role } from './operators.js';

/** A token of the file, by which a script or a portal uses the admin API. */
export interface ManagementToken {
  /** For the record of changes. */
  readonly name: string;
  /** Lower-case hex SHA-256 of the token. */
  readonly tokenHash: string;
  readonly role: Role;
  readonly organizations: 'all' | readonly string[];
  /** An ISO date-time. Default: never. */
  readonly expiresAt?: string | undefined;
}

/** The rights of a request to the page or its API. */
export interface AdminPermission {
  readonly role: Role;
  readonly organizations: 'all' | readonly string[];
  readonly actor: string;
}

const BEARER = /^bearer +(\S{1,256}) *$/i;

/** @returns a new token: 256 random bits behind a prefix that secret scanners can know. */
export function makeManagementToken(): { readonly token: string; readonly tokenHash: string } {
  const token = `sgm_${randomBytes(32).toString('base64url')}`;
  return { token, tokenHash: hashOf(token) };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/**
 * The permission that the bearer token of a request gives.
 *
 * @returns `null` for an unknown or expired token; `undefined` for a request without a bearer token.
 */
export function permissionOfToken(
  request: Pick<AuthenticatedRequest, 'header'>,
  tokens: readonly ManagementToken[],
  nowMs: number,
): AdminPermission | null | undefined {
  const header = request.header('authorization');
  if (header === undefined || !/^bearer/i.test(header)) return undefined;
  const [, token] = BEARER.exec(header) ?? [];
  // Comparing hashes of guesses tells nothing about the token.
  const hash = token === undefined ? undefined : hashOf(token);
  const found = tokens.find(({ tokenHash }) => tokenHash === hash);
  if (found === undefined || (found.expiresAt !== undefined && Date.parse(found.expiresAt) <= nowMs)) return null;
  const { name, role, organizations } = found;
  return { role, organizations, actor: `token:${name}` };
}
