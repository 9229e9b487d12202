import { expect, it } from 'vitest';
import { parseOptions } from '../base/options/parse-options.js';
import { alertsSchema } from './alert-options.js';

it('reads thresholds and amounts exactly', () => {
  const parsed = parseOptions(alertsSchema, { thresholds: ['0.8', '1'], creditsLow: '10.00' }, 'alerts');
  expect(parsed).toEqual({ thresholds: [800_000_000n, 1_000_000_000n], creditsLow: 10_000_000_000n });
  expect(parseOptions(alertsSchema, { creditsLow: '0.5' }, 'alerts').thresholds).toEqual([]);
});

it.each([
  ['nothing to look for', {}],
  ['no thresholds and no amount', { thresholds: [] }],
  ['a threshold of zero', { thresholds: ['0'] }],
  ['a number', { thresholds: [0.8] }],
  ['a threshold twice', { thresholds: ['0.8', '0.80'] }],
  ['more than ten', { thresholds: Array.from({ length: 11 }, (_, index) => `${index + 1}`) }],
  ['an amount of zero', { creditsLow: '0' }],
  ['a negative amount', { creditsLow: '-1' }],
  ['an amount that is no decimal', { creditsLow: '$10' }],
  ['an unknown field', { thresholds: ['1'], threshold: '1' }],
])('refuses %s', (_what, options) => {
  expect(() => parseOptions(alertsSchema, options, 'alerts')).toThrow(/alerts/);
});
