import { describe, expect, it } from 'vitest';
import { invalidReply } from './error-reply.js';

const waitOf = (retryAfter: string) =>
  invalidReply({ status: 503, headers: new Headers({ 'retry-after': retryAfter }) }).retryAfterMs;

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['7', 7_000],
    [' 7 ', 7_000],
    ['1.5', 1_500],
    ['86400', 86_400_000],
    ['Sun, 22 Nov 2015 10:00:00 GMT', 0],
  ])('of "%s" asks for a wait', (header, waitMs) => {
    expect(waitOf(header)).toBe(waitMs);
  });

  it.each(['', '-5', '+5', '0x10', '1e3', 'Infinity', 'NaN', '5, 10', '5;x', 'soon', '2015-11-22', '22 Nov 2015 GMT'])(
    'of "%s" says nothing',
    (header) => {
      expect(waitOf(header)).toBeNull();
    },
  );
});
