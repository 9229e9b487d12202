import { randomBytes } from 'node:crypto';

/** Makes the unique part of ids; injected so that tests can predict it. */
export type IdSource = (nowMs: number) => string;

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_BYTES = 16;
const POOL_BYTES = RANDOM_BYTES * 256;

/**
 * Makes ids in the ULID form (26 characters, sorted by time): 48 bits of milliseconds and 80 random bits.
 *
 * Random bytes are drawn from the operating system 256 ids at a time, because one draw costs far more than one id.
 */
export function createIdSource(): IdSource {
  let pool = randomBytes(POOL_BYTES);
  let offset = 0;
  return (nowMs) => {
    if (offset === POOL_BYTES) {
      pool = randomBytes(POOL_BYTES);
      offset = 0;
    }
    let id = timePart(nowMs);
    for (let index = 0; index < RANDOM_BYTES; index += 1) id += CROCKFORD.charAt((pool[offset + index] ?? 0) & 31);
    offset += RANDOM_BYTES;
    return id;
  };
}

function timePart(nowMs: number): string {
  let text = '';
  let rest = nowMs;
  for (let index = 0; index < 10; index += 1) {
    text = CROCKFORD.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
