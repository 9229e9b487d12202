import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatUsd,
  fromTokenParts,
  MAX_NANO_USD,
  magnitude,
  multiply,
  NO_MARKUP,
  parseMultiplier,
  parseUsd,
  readUsd,
  reportedNumber,
  reportedUsd,
  tokenPart,
} from './money.js';

const amounts = fc.bigInt({ min: -MAX_NANO_USD, max: MAX_NANO_USD });
const costs = fc.bigInt({ min: 0n, max: MAX_NANO_USD });

/** The whole number not below a fraction, by another way than the code under test. */
function ceiling(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

describe('parseUsd and formatUsd', () => {
  it('parses every amount that formatUsd prints', () => {
    fc.assert(fc.property(amounts, (amount) => parseUsd(formatUsd(amount)) === amount));
  });

  it('prints plain decimals without exponent, trailing zeros or a tenth decimal', () => {
    fc.assert(fc.property(amounts, (amount) => /^-?(0|[1-9]\d*)(\.\d{0,8}[1-9])?$/.test(formatUsd(amount))));
  });

  it.each([
    ['25.00', 25_000_000_000n, '25'],
    ['0.005', 5_000_000n, '0.005'],
    ['-0.1', -100_000_000n, '-0.1'],
    ['0', 0n, '0'],
    ['-0', 0n, '0'],
    ['007', 7_000_000_000n, '7'],
    ['0.000000001', 1n, '0.000000001'],
    ['0.00000000100000', 1n, '0.000000001'],
    ['999999999999.999999999', 999_999_999_999_999_999_999n, '999999999999.999999999'],
  ])('reads %s exactly', (text, amount, printed) => {
    expect(parseUsd(text)).toBe(amount);
    expect(readUsd(text)).toBe(amount);
    expect(formatUsd(amount)).toBe(printed);
  });

  it.each(['', ' ', '1 ', '.5', '5.', '+1', '1e3', '1,5', '0x10', '--1', 'NaN', 'Infinity', '$5', '1000000000000'])(
    'refuses %j',
    (text) => {
      expect(() => parseUsd(text)).toThrow(RangeError);
      expect(readUsd(text)).toBeUndefined();
    },
  );

  it('refuses amounts finer than a nanodollar instead of rounding them', () => {
    expect(readUsd('0.0000000001')).toBeUndefined();
    expect(() => parseUsd('0.0000000001')).toThrow('finer than a nanodollar');
    expect(() => parseUsd('-1.00000000000000000001')).toThrow('finer than a nanodollar');
  });
});

it.each([5, 5n, null, undefined, {}])('readUsd refuses %s, which is no text', (value) => {
  expect(readUsd(value)).toBeUndefined();
});

describe('reportedUsd', () => {
  it('rounds a number of up to 12 decimals up to the nanodollar, despite binary fractions', () => {
    const picodollars = fc.bigInt({ min: 0n, max: 10n ** 15n });
    fc.assert(fc.property(picodollars, (pico) => reportedUsd(Number(`${pico}e-12`)) === ceiling(pico, 1_000n)));
  });

  it('rounds up a thousandth of a nanodollar, however near to noise', () => {
    expect(reportedUsd(445.606218858001)).toBe(445_606_218_859n);
    expect(reportedUsd(999.999999999001)).toBe(1_000_000_000_000n);
  });

  it('keeps all digits of a large number, which a product would lose', () => {
    // The nearest double is 1,000,000.00000000104….
    expect(reportedUsd(1_000_000.000000001)).toBe(1_000_000_000_000_002n);
  });

  it('is never below a reported number and at most a nanodollar above, up to a million dollars', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (nanos) => {
        const reported = reportedUsd(Number(`${nanos}e-9`)) ?? -1n;
        expect(reported - nanos).toBeGreaterThanOrEqual(0n);
        expect(reported - nanos).toBeLessThanOrEqual(1n);
      }),
    );
  });

  it('reads every way to write a decimal as the same amount', () => {
    const digits = (maxLength: number) => fc.string({ unit: fc.nat(9).map(String), maxLength });
    const parts = fc.tuple(fc.constantFrom('', '+'), digits(15), digits(30), fc.integer({ min: -40, max: 20 }));
    fc.assert(
      fc.property(parts, ([sign, whole, fraction, exponent]) => {
        fc.pre(whole + fraction !== '');
        const scale = 10n ** 90n;
        const size = BigInt(whole + fraction) * 10n ** BigInt(90 + 9 + exponent - fraction.length);
        const amount = ceiling(size, scale);
        const expected = amount < 10n ** 18n ? amount : undefined;
        const point = fraction === '' ? ['', '.'] : ['.'];
        for (const written of point.map((mark) => `${sign}${whole}${mark}${fraction}`))
          for (const e of exponent < 0 ? ['e', 'E'] : ['e', 'E', 'e+', 'e00'])
            expect(reportedUsd(`${written}${e}${exponent}`)).toBe(expected);
      }),
    );
  });

  it('reads a number as its text', () => {
    const picodollars = fc.bigInt({ min: 0n, max: 10n ** 15n }).map((pico) => Number(`${pico}e-12`));
    fc.assert(fc.property(picodollars, (usd) => reportedUsd(usd) === reportedUsd(String(usd))));
  });

  it('rounds a decimal string of any length up to the nanodollar', () => {
    const decimals = fc.string({ unit: fc.nat(9).map(String), minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.nat(1_000_000), decimals, (whole, fraction) => {
        const exact = BigInt(`${whole}${fraction.padEnd(30, '0')}`);
        expect(reportedUsd(`${whole}.${fraction}`)).toBe(ceiling(exact, 10n ** 21n));
      }),
    );
  });

  it.each([
    [0.005, 5_000_000n],
    [0.1 + 0.2, 300_000_000n],
    [1e-7, 100n],
    [0, 0n],
    [-0, 0n],
    [12, 12_000_000_000n],
    ['0.0000000001', 1n],
    ['-0.00', 0n],
    [' 1E+1 ', 10_000_000_000n],
    ['.5', 500_000_000n],
    ['5.', 5_000_000_000n],
    ['0e999999999', 0n],
    ['1e-999999999', 1n],
    [`0.${'0'.repeat(100_000)}1`, 1n],
    [`1${'0'.repeat(1_000)}e-1000`, 1_000_000_000n],
  ])('takes %o', (value, amount) => {
    expect(reportedUsd(value)).toBe(amount);
  });

  it.each([
    -1,
    -0.001,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e9,
    '-0.01',
    '-0.0000000001',
    '1e9',
    '1e999999999',
    '9'.repeat(100_000),
    '.',
    'e5',
    '1e',
    '0x10',
    '1,5',
    '$5',
    'Infinity',
    '',
    'free',
    null,
    undefined,
    true,
    {},
    5n,
  ])('takes %o for no figure at all', (value) => {
    expect(reportedUsd(value)).toBeUndefined();
  });
});

it.each([
  [12, 12],
  ['150', 150],
  ['1.5e2', 150],
  ['+.5', 0.5],
  ['', undefined],
  ['many', undefined],
  ['0x10', undefined],
  ['1e999', undefined],
  [Number.NaN, undefined],
  [null, undefined],
  [[7], undefined],
])('reportedNumber reads %j as %s', (value, number) => {
  expect(reportedNumber(value)).toBe(number);
});

describe('token prices', () => {
  const parts = fc.array(fc.tuple(fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 12n })), { maxLength: 4 });

  it('rounds up a sum of parts once, not each part', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const sum = given.reduce((total, [tokens, perMillion]) => total + tokenPart(tokens, perMillion), 0n);
        const exact = given.reduce((total, [tokens, perMillion]) => total + BigInt(tokens) * perMillion, 0n);
        expect(fromTokenParts(sum)).toBe(ceiling(exact, 1_000_000n));
      }),
    );
  });

  it('prices a token of the cheapest models exactly', () => {
    expect(fromTokenParts(tokenPart(1, parseUsd('0.02')))).toBe(20n);
    expect(fromTokenParts(tokenPart(1, 1n))).toBe(1n);
  });

  it('counts only whole tokens, and never below zero', () => {
    expect(tokenPart(2.9, 10n)).toBe(20n);
    expect(tokenPart(-5, 10n)).toBe(0n);
  });
});

describe('magnitude', () => {
  it.each([
    [5n, 5n],
    [-5n, 5n],
    [0n, 0n],
  ])('of %d is %d', (amount, expected) => {
    expect(magnitude(amount)).toBe(expected);
  });
});

describe('multipliers', () => {
  it('changes nothing without markup', () => {
    fc.assert(fc.property(costs, (amount) => multiply(amount, NO_MARKUP) === amount));
    expect(parseMultiplier('1')).toBe(NO_MARKUP);
  });

  it('rounds up to the nanodollar', () => {
    fc.assert(
      fc.property(costs, fc.bigInt({ min: 0n, max: 10n ** 11n }), (amount, multiplier) => {
        expect(multiply(amount, multiplier)).toBe(ceiling(amount * multiplier, NO_MARKUP));
      }),
    );
    expect(multiply(5_000_000n, parseMultiplier('1.25'))).toBe(6_250_000n);
    expect(multiply(1n, parseMultiplier('0.1'))).toBe(1n);
  });

  it('refuses a negative multiplier, and accepts zero', () => {
    expect(() => parseMultiplier('-1')).toThrow(new RangeError('"-1" is negative'));
    expect(parseMultiplier('0')).toBe(0n);
  });
});
