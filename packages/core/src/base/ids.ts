import { randomFillSync } from 'node:crypto';

/** Makes the unique part of ids. Injected, so that tests can predict ids. */
export type IdSource = (nowMs: number) => string;

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODES = Uint8Array.from(CROCKFORD, (character) => character.charCodeAt(0));
const RANDOM_CHARACTERS = 16;
const POOL_BYTES = RANDOM_CHARACTERS * 256;

/**
 * Makes ids in the ULID form (26 characters, sorted by time): 48 bits of milliseconds and 80 random bits.
 *
 * Draws random bytes from the operating system for 256 ids at a time, because a draw costs far more than an id. Reads the text from a buffer at once: a text
 * built character by character would stay a chain of 26 small strings.
 */
export function createIdSource(): IdSource {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
  let offset = POOL_BYTES;
  let time = '';
  let timeMs = -1;

  return (nowMs) => {
    if (offset === POOL_BYTES) {
      randomFillSync(pool);
      for (let index = 0; index < POOL_BYTES; index += 1) pool[index] = CODES[(pool[index] ?? 0) & 31] ?? 0;
      offset = 0;
    }
    if (nowMs !== timeMs) {
      time = timePart(nowMs);
      timeMs = nowMs;
    }
    const random = pool.toString('latin1', offset, offset + RANDOM_CHARACTERS);
    offset += RANDOM_CHARACTERS;
    return time + random;
  };
}

/** The first ten characters of an id of this time. */
export function timePart(nowMs: number): string {
  let text = '';
  let rest = nowMs;
  for (let index = 0; index < 10; index += 1) {
    text = CROCKFORD.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const TIMED_ID = /^[a-z]+_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/;

/** When an id was made, in milliseconds since the Unix epoch; `undefined` for an id of another form. */
export function timeOfId(id: string): number | undefined {
  const [, time] = TIMED_ID.exec(id) ?? [];
  if (time === undefined) return undefined;
  return Array.from(time).reduce((ms, character) => ms * 32 + CROCKFORD.indexOf(character), 0);
}
