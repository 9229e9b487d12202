/**
 * An amount of US dollars as a whole number of nanodollars (1e-9 USD).
 *
 * $0.02 per million tokens is exactly 20 nanodollars per token, so no price in the catalog needs a fraction of a
 * nanodollar. Options and catalog use decimal strings, the wire uses USD numbers, all other code uses `NanoUsd`.
 */
export type NanoUsd = bigint;

const NANOS_PER_USD = 1_000_000_000n;
const DECIMALS = 9;
const TOKENS_PER_PRICE_UNIT = 1_000_000n;
/** About 1,100 USD. Below this amount the error of a double after two roundings stays under half a thousandth of a nanodollar. */
const EXACT_NANOS = 2 ** 40;
const PLAIN_DECIMAL = /^-?\d{1,12}(?:\.\d{1,30})?$/;
/** Every finite decimal: `0.01`, `1e-2`, `.5`, `5.`, `+0.5`. */
const DECIMAL = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;
/** Most digits before the point. */
const MAX_WHOLE_DIGITS = 12;
/** From a billion USD on, a reported figure has a wrong unit. */
const MAX_REPORTED: NanoUsd = 10n ** 18n;

/** The largest amount that an operation of the ledger accepts: 2^62 nanodollars, about 4.6 billion USD. */
export const MAX_NANO_USD: NanoUsd = 2n ** 62n;

/** The largest total of a ledger, the largest signed 64-bit number: 2^63 − 1 nanodollars, about 9.2 billion USD. */
export const MAX_TOTAL_NANO_USD: NanoUsd = 2n ** 63n - 1n;

/**
 * Parses a plain decimal string of US dollars (`"25.00"`, `"0.005"`), exactly.
 *
 * @throws RangeError if the text is not a plain decimal, or is finer than a nanodollar: amounts are never rounded silently.
 */
export function parseUsd(text: string): NanoUsd {
  const decimal = plainDecimal(text);
  if (decimal === undefined) throw new RangeError(`"${text}" is not a plain decimal amount such as "25.00"`);
  if (decimal.remainder) throw new RangeError(`"${text}" is finer than a nanodollar (9 decimals)`);
  return decimal.nanos;
}

/** As {@link parseUsd}, for values of any type. @returns `undefined` instead of an error. */
export function readUsd(value: unknown): NanoUsd | undefined {
  const decimal = typeof value === 'string' ? plainDecimal(value) : undefined;
  return decimal === undefined || decimal.remainder ? undefined : decimal.nanos;
}

/**
 * Converts an amount that a provider reported (a JSON number, or the text of any finite decimal, in USD) to nanodollars, rounded up.
 *
 * Returns `undefined` for any value that is not an amount from zero to a billion: a wrong figure counts as no figure.
 */
export function reportedUsd(value: unknown): NanoUsd | undefined {
  if (typeof value === 'number') {
    // A difference to a whole nanodollar below half a thousandth is float noise, which rounding up would turn into a nanodollar.
    const nanos = value * 1e9;
    const nearest = Math.round(nanos);
    if (!(nanos >= 0 && nanos < EXACT_NANOS)) return reportedUsd(value.toFixed(12));
    return BigInt(Math.abs(nanos - nearest) < 5e-4 ? nearest : Math.ceil(nanos));
  }
  const text = typeof value === 'string' ? value.trim() : '';
  const { nanos, remainder } = readDecimal(text) ?? { nanos: MAX_REPORTED };
  if (nanos >= MAX_REPORTED || (text.startsWith('-') && (nanos < 0n || remainder))) return undefined;
  return remainder ? nanos + 1n : nanos;
}

/** A figure that a provider reported: a finite number, or the text of a finite decimal. */
export function reportedNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Prints an amount as a plain decimal: no exponent, no trailing zeros, at most nine decimals (`0.005`, `25`, `-0.1`). */
export function formatUsd(amount: NanoUsd): string {
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMALS + 1, '0');
  const whole = digits.slice(0, -DECIMALS);
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

/** The price of a number of tokens at nanodollars per million tokens, **not yet divided**: add up the parts, then call {@link fromTokenParts}. A negative number counts as 0. */
export function tokenPart(tokens: number, perMillion: NanoUsd): bigint {
  return BigInt(Math.max(0, Math.trunc(tokens))) * perMillion;
}

/** Divides a sum of {@link tokenPart}s by one million, rounding up to the nanodollar. */
export function fromTokenParts(sum: bigint): NanoUsd {
  return divideUp(sum, TOKENS_PER_PRICE_UNIT);
}

/** The amount without its sign. */
export function magnitude(amount: NanoUsd): NanoUsd {
  return amount < 0n ? -amount : amount;
}

/** Multiplies an amount by a multiplier given in billionths (see {@link parseMultiplier}), rounding up to the nanodollar. */
export function multiply(amount: NanoUsd, multiplier: bigint): NanoUsd {
  return multiplier === NANOS_PER_USD ? amount : divideUp(amount * multiplier, NANOS_PER_USD);
}

/** The largest amount whose product by {@link multiply} is at most `amount`. @param multiplier in billionths, above zero. */
export function unmultiply(amount: NanoUsd, multiplier: bigint): NanoUsd {
  return (amount * NANOS_PER_USD) / multiplier;
}

/** Parses a decimal multiplier such as `"1.25"` into billionths. @throws RangeError if the text is no plain decimal of zero or more. */
export function parseMultiplier(text: string): bigint {
  const multiplier = parseUsd(text);
  if (multiplier < 0n) throw new RangeError(`"${text}" is negative`);
  return multiplier;
}

/** The multiplier that changes nothing. */
export const NO_MARKUP = NANOS_PER_USD;

interface Decimal {
  readonly nanos: NanoUsd;
  /** Whether the decimal is finer than a nanodollar, and so further from zero. */
  readonly remainder: boolean;
}

function plainDecimal(text: string): Decimal | undefined {
  return PLAIN_DECIMAL.test(text) ? readDecimal(text) : undefined;
}

/** Looks at each digit, but computes with few: neither long digits nor a large exponent cost more than their text. */
function readDecimal(text: string): Decimal | undefined {
  const [match, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  if (match === undefined) return undefined;
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first === -1) return { nanos: 0n, remainder: false };
  const wholeDigits = whole.length + Number(exponent) - first;
  if (wholeDigits > MAX_WHOLE_DIGITS) return undefined;
  const used = Math.max(0, wholeDigits + DECIMALS);
  const size = BigInt(digits.slice(first, first + used).padEnd(used, '0'));
  return { nanos: sign === '-' ? -size : size, remainder: /[1-9]/.test(digits.slice(first + used)) };
}

/** Divides and rounds up. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor > 0n ? quotient + 1n : quotient;
}
