import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DETAIL_CHARACTERS } from '../base/errors/upstream-error.js';
import { maskSecrets, redact } from './redact.js';

const KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/=~!';
const key = (length: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(...KEY_ALPHABET.split('')), ...length });
/** Control characters and letters beyond ASCII included. */
const anyText = fc.array(fc.nat(0x3ff), { maxLength: 1_000 }).map((codes) => String.fromCharCode(...codes));
const prose = fc.string({ maxLength: 400 });

describe('redact', () => {
  it('leaves no secret it was given, wherever and however often it stands', () => {
    fc.assert(
      fc.property(
        key({ minLength: 8, maxLength: 80 }),
        fc.array(prose, { minLength: 2, maxLength: 5 }),
        (secret, parts) => {
          expect(redact(parts.join(secret), [secret])).not.toContain(secret);
        },
      ),
    );
  });

  it('leaves no eight characters in a row of a secret, even when the provider echoes only a part', () => {
    fc.assert(
      fc.property(key({ minLength: 12, maxLength: 60 }), fc.nat(), fc.nat(), prose, (secret, start, length, text) => {
        const from = start % (secret.length - 8);
        const part = secret.slice(from, from + 8 + (length % 20));
        const shown = redact(`${text} ${part} ${text}`, [secret]);
        for (let at = 0; at + 8 <= secret.length; at += 1) expect(shown).not.toContain(secret.slice(at, at + 8));
      }),
    );
  });

  it('leaves no secret at the edge of the characters it reads', () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz';
    for (let padding = 1_960; padding < 2_010; padding += 1) {
      expect(redact(`${' '.repeat(padding)}${secret}`, [secret])).not.toContain('abcdefgh');
    }
  });

  it('gives one line of at most 300 characters', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = redact(text);
        expect(shown.length).toBeLessThanOrEqual(MAX_DETAIL_CHARACTERS);
        expect(shown).not.toMatch(/[\n\r\t\0]/);
      }),
    );
    expect(redact('word '.repeat(1_000))).toHaveLength(MAX_DETAIL_CHARACTERS);
    expect(redact(' a \n\t\0 b ')).toBe('a b');
  });

  it('cuts a longer text, and marks the cut', () => {
    const longest = 'word '.repeat(60).trim().padEnd(MAX_DETAIL_CHARACTERS, 's');
    expect(redact(longest)).toBe(longest);
    expect(redact(`${longest}s`)).toBe(`${longest.slice(0, -1)}…`);
  });

  it('reads the first 2,000 characters', () => {
    expect(redact(`${' '.repeat(1_996)}seen`)).toBe('seen');
    expect(redact(`${' '.repeat(2_000)}unseen`)).toBe('');
  });

  it.each([
    ['Authorization: Bearer abc.def', 'abc.def'],
    ['bearer 0123456789', '0123456789'],
    ['Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNz'],
    ['{"x-api-key":"k1-very"}', 'k1-very'],
    ['api_key=s3cret&x=1', 's3cret'],
    ['X-Subscription-Token: BSA12', 'BSA12'],
    ['Incorrect API key provided: sk-abc***wxyz.', 'wxyz'],
    ['no such key pplx-12345', 'pplx-12345'],
    ['key 0c1f6b2e9a7d4f5380b1c2d3 is unknown', '0c1f6b2e9a7d'],
    ['key 2f0e6a4c-1111-4a6b-9c0d-0123456789ab is unknown', '2f0e6a4c'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N', 'eyJ'],
    ['see https://api.example.org/v1/answer?token=abc#frag', 'abc'],
    ['proxy http://user:hunter2@proxy.example.org/ failed', 'hunter2'],
  ])('hides text that looks like a credential: %s', (text, secret) => {
    const shown = redact(text);
    expect(shown).not.toContain(secret);
    expect(shown).toContain('[redacted]');
  });

  it.each([
    'INVALID_REQUEST_BODY: The query is too long.',
    'invalid_search_domain_filter at tools.0.filters',
    'Too many requests, retry in 2.5 s (limit 10 per second)',
    'see https://docs.example.org/reference/error-codes for more',
  ])('keeps plain words: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('does not hide words because of an empty or tiny secret', () => {
    expect(redact('a plain text', ['', 'a', 'pla'])).toBe('a plain text');
  });

  it('takes time in proportion to the text, also for texts made to be slow', () => {
    const hostile = [
      'http://'.repeat(2_000),
      'a'.repeat(1_000_000),
      'bearer '.repeat(2_000),
      'token'.repeat(2_000),
      '://'.repeat(3_000),
    ];
    for (const text of hostile) expect(redact(text).length).toBeLessThanOrEqual(MAX_DETAIL_CHARACTERS);
  });
});

describe('maskSecrets', () => {
  it.each([
    ['pass', 'my pass word', 'my [redacted] word'],
    ['pas', 'my pas word', 'my pas word'],
    ['abcdefgh', 'abcdefgh and abcdefgh', '[redacted] and [redacted]'],
    ['abcdefgh', 'no abcdefg, nor bcdefgh', 'no abcdefg, nor bcdefgh'],
    ['abcdefghij', 'the first abcdefgh, the last cdefghij', 'the first [redacted], the last [redacted]'],
    ['abababab', 'overlaps: ababababab.', 'overlaps: [redacted].'],
  ])('hides every eight characters of %s, or all of a shorter secret: %s', (secret, text, shown) => {
    expect(maskSecrets(text, [secret])).toBe(shown);
    expect(maskSecrets(text, ['', secret, 'elsewhere'])).toBe(shown);
  });
});
