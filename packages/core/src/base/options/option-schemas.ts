import { z } from 'zod';
import { NO_MARKUP, parseMultiplier, readUsd } from '../money.js';
import { type Clock, isClock } from '../time/clock.js';
import { isLedgerId, LEDGER_ID } from './check-argument.js';

/** A whole number between two bounds, both included. */
export function count(least: number, most: number): z.ZodInt {
  return z.int(`a whole number from ${least} to ${most}`).min(least, `at least ${least}`).max(most, `at most ${most}`);
}

/** A time in whole milliseconds between two bounds, both included. */
export function millisecondsSchema(least: number, most: number): z.ZodInt {
  const wanted = `whole milliseconds from ${least} to ${most}`;
  return z.int(wanted).min(least, wanted).max(most, wanted);
}

/** Checks an option `clock`. */
export const clockSchema = z.custom<Clock>(isClock, 'a clock with now, monotonic and schedule');

/** A ledger id, such as the id of an organization or a key. */
export const ledgerIdSchema = z.string('a string').refine(isLedgerId, LEDGER_ID);

/** A multiplier of prices: a decimal string above 0 and at most 100. */
export const multiplier = z
  .string('a decimal string such as "1.2"')
  .refine(isMultiplier, 'a decimal string above 0 and at most 100')
  .transform(parseMultiplier);

/** A share: a decimal string from 0 to 1. */
export const share = z
  .string('a decimal string such as "0.5"')
  .refine(isShare, 'a decimal string from 0 to 1')
  .transform(parseMultiplier);

/** An object with these methods. Does not check the class, because instances may come from another copy of this package. */
export function port<T>(methods: readonly string[], expected: string): z.ZodType<T> {
  return z.custom<T>((value) => lacking(value, methods).length === 0, {
    error: ({ input }) => {
      const missing = lacking(input, methods);
      // An object with some of the methods was meant, most likely of an earlier version of the contract.
      return missing.length === methods.length ? expected : `${expected}, with the methods ${missing.join(', ')} too`;
    },
  });
}

/** The missing methods of a value. */
function lacking(value: unknown, methods: readonly string[]): readonly string[] {
  return methods.filter((name) => !isFunction((value as Record<string, unknown> | null)?.[name]));
}

/** A function of any kind. */
export function callback<T>(expected = 'a function'): z.ZodType<T> {
  return z.custom<T>(isFunction, expected);
}

export function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isMultiplier(text: string): boolean {
  const factor = readUsd(text) ?? 0n;
  return factor > 0n && factor <= 100n * NO_MARKUP;
}

function isShare(text: string): boolean {
  const part = readUsd(text) ?? -1n;
  return part >= 0n && part <= NO_MARKUP;
}
