import { z } from 'zod';

/** A whole number from `least` to `most`, both included. */
export function wholeNumber(least: number, most: number): z.ZodInt {
  const expected = `a whole number from ${least} to ${most}`;
  return z.int(expected).min(least, expected).max(most, expected);
}

/** A text that matches a pattern. @param expected describes the text to the host, for example: a country code such as "DE". */
export function textLike(pattern: RegExp, expected: string): z.ZodString {
  return z.string(expected).regex(pattern, expected);
}
