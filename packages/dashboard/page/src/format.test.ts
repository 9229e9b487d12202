import { describe, expect, it } from 'vitest';
import { aboutUsd, milliseconds, percent, plural, shortUsd, usd, utcDay } from './format.js';

describe('usd', () => {
  it.each([
    ['0', '$0.00'],
    ['1234567.5', '$1,234,567.50'],
    ['-0.000000001', '-$0.000000001'],
    ['0.005000000', '$0.005'],
    ['90071992547409931.123456789', '$90,071,992,547,409,931.123456789'],
  ])('shows %s as %s, with every digit', (amount, text) => {
    expect(usd(amount)).toBe(text);
  });
});

it.each([
  ['0', '$0.00'],
  ['0.01', '$0.01'],
  ['0.00512345', '$0.0051'],
  ['-0.005', '-$0.0050'],
  ['0.000000001', '<$0.0001'],
  ['-0.000000001', '>-$0.0001'],
  ['12.345678901', '$12.35'],
  ['-1234.5', '-$1,234.50'],
])('shows %s in tables as %s', (amount, text) => {
  expect(shortUsd(amount)).toBe(text);
});

it('shows times, shares and counts for people', () => {
  expect([milliseconds(null), milliseconds(12.4), milliseconds(1_250)]).toEqual(['–', '12 ms', '1.3 s']);
  expect([aboutUsd('3.739285712'), aboutUsd('12345.6'), aboutUsd('3.2')]).toEqual(['$3.74', '$12,300', '$3.20']);
  expect([percent(1, 0), percent(1, 8)]).toEqual(['–', '12.5 %']);
  expect([plural(1, 'source'), plural(1_000, 'source')]).toEqual(['1 source', '1,000 sources']);
});

it('adds days across the end of a month', () => {
  expect(utcDay(new Date('2026-03-01T00:30:00Z'), -1)).toBe('2026-02-28');
});
