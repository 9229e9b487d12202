import { z } from 'zod';
import { NO_MARKUP, parseMultiplier } from '../money/money.js';

/** A whole number between two bounds, both included. */
export function count(least: number, most: number): z.ZodInt {
  return z.int(`a whole number from ${least} to ${most}`).min(least, `at least ${least}`).max(most, `at most ${most}`);
}

/** A multiplier of prices: a decimal string above 0 and at most 100. */
export const multiplier = z
  .string('a decimal string such as "1.2"')
  .refine(isMultiplier, 'a decimal string above 0 and at most 100')
  .transform(parseMultiplier);

/** An object with these methods. No class is asked for: instances may come from another copy of this package. */
export function port<T>(methods: readonly string[], expected: string): z.ZodType<T> {
  return z.custom<T>(
    (value) => methods.every((name) => isFunction((value as Record<string, unknown> | null)?.[name])),
    expected,
  );
}

/** A function of any kind. */
export function callback<T>(expected = 'a function'): z.ZodType<T> {
  return z.custom<T>(isFunction, expected);
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isMultiplier(text: string): boolean {
  try {
    const parsed = parseMultiplier(text);
    return parsed > 0n && parsed <= 100n * NO_MARKUP;
  } catch {
    return false;
  }
}
