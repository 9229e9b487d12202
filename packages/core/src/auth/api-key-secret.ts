import { hash as digest, randomBytes } from 'node:crypto';

const PUBLIC_ID_BYTES = 6;
const SECRET_BYTES = 32;
const OWN_FORM = /^(sg_[0-9a-f]{12})_[\w-]{22,}$/;

/**
 * Makes an API key with 256 random bits and a public id of 48.
 *
 * @returns `id`: the public part, safe to log: `sg_<id>`; `secret`: the bearer token `sg_<id>_<secret>`; `hash`: the lower-case hex SHA-256 of `secret`. The
 * gateway does not store `secret`: show it once and store only `hash`.
 */
export function generateApiKey() {
  const id = `sg_${randomBytes(PUBLIC_ID_BYTES).toString('hex')}`;
  const secret = `${id}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { id, secret, hash: hashApiKey(secret) };
}

/** Lower-case hex SHA-256 of a whole bearer token: a fast hash is enough, because the secret is random and not chosen by a person. */
export function hashApiKey(secret: string): string {
  return digest('sha256', secret, 'hex');
}

/** The public id of a key made by {@link generateApiKey}, else an id derived from the hash. */
export function publicIdOf(secret: string, hash: string): string {
  return OWN_FORM.exec(secret)?.[1] ?? publicIdOfHash(hash);
}

/** The public id of a key of which only the hash is known; too short to help find the secret. */
export function publicIdOfHash(hash: string): string {
  return `sg_${hash.slice(0, PUBLIC_ID_BYTES * 2)}`;
}
