import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** 32 MiB of memory and about a fifth of a second per check, as OWASP advises for scrypt. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM = /^(scrypt|sha256):([\w-]{22}):([\w-]{43})$/;

/** A password of 128 random bits. */
export function randomPassword(): string {
  return randomBytes(16).toString('base64url');
}

/** As {@link hashPassword}, for a password of {@link randomPassword}: it cannot be guessed, so a fast hash suffices. */
export function hashRandomPassword(password: string): string {
  const salt = randomBytes(SALT_BYTES);
  return `sha256:${salt.toString('base64url')}:${digest(password, salt).toString('base64url')}`;
}

/** The hash to store: `scrypt:<salt>:<hash>`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt);
  return `scrypt:${salt.toString('base64url')}:${hash.toString('base64url')}`;
}

export function isPasswordHash(text: string): boolean {
  return FORM.test(text);
}

/** Whether a text is a hash of {@link hashPassword}. */
export function isSlowHash(text: string): boolean {
  return isPasswordHash(text) && text.startsWith('scrypt:');
}

/** A hash of no password, which takes as long to check. */
export const NO_PASSWORD = `scrypt:${'A'.repeat(22)}:${'A'.repeat(43)}`;

/** Compares in constant time. @param hash of {@link hashPassword}. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, kind, salt = '', expected = ''] = FORM.exec(hash) ?? [];
  const found = await (kind === 'sha256' ? digest : derive)(password, Buffer.from(salt, 'base64url'));
  const wanted = Buffer.from(expected, 'base64url');
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}

function digest(password: string, salt: Buffer): Buffer {
  return createHash('sha256').update(salt).update(password).digest();
}

/** Normalizes the password: browsers may encode the same letters in two ways. */
function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
