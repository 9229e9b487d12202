import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  amount,
  concurrency,
  expiry,
  id,
  limit,
  limitReset,
  models,
  moment,
  rate,
  signedAmount,
} from './option-values.js';

it('refuses an end that is past', () => {
  expect(() => expiry('2026-11-01')).toThrow('Expected a time to come');
});

describe('values of options', () => {
  it.each<[string, unknown, unknown]>([
    ['an amount', amount('25.00'), '25.00'],
    ['an amount with a sign', signedAmount('-1.50'), '-1.50'],
    ['a limit', limit('5'), { to: '5' }],
    ['no limit', limit('none'), { to: null }],
    ['a reset', limitReset('monthly'), { to: 'monthly' }],
    ['no reset', limitReset('never'), { to: null }],
    ['models', models('exa/answer, local/docs'), { to: ['exa/answer', 'local/docs'] }],
    ['all models', models('all'), { to: null }],
    ['a day', moment('2026-11-01'), '2026-11-01T00:00:00.000Z'],
    ['a moment', moment('2026-11-01T01:00:00+01:00'), '2026-11-01T00:00:00.000Z'],
    ['an end', expiry('2096-11-01'), { to: '2096-11-01T00:00:00.000Z' }],
    ['no end', expiry('never'), { to: null }],
    ['a rate a minute', rate('60/1m'), { to: { requests: 60, periodMs: 60_000 } }],
    ['a rate without a number of units', rate('5/s'), { to: { requests: 5, periodMs: 1_000 } }],
    ['a rate in hours', rate('100/6h'), { to: { requests: 100, periodMs: 21_600_000 } }],
    ['the largest rate', rate('1000000/1d'), { to: { requests: 1_000_000, periodMs: 86_400_000 } }],
    ['no rate', rate('none'), { to: null }],
    ['a number at once', concurrency('4'), { to: 4 }],
    ['any number at once', concurrency('none'), { to: null }],
    ['an id', id('sg_0123456789ab'), 'sg_0123456789ab'],
  ])('reads %s', (_, value, expected) => {
    expect(value).toEqual(expected);
  });

  it.each<[string, () => unknown]>([
    ['a negative grant', () => amount('-1')],
    ['an amount with a currency', () => amount('$5')],
    ['an amount with a comma', () => signedAmount('1,50')],
    ['a negative limit', () => limit('-5')],
    ['a limit finer than a nanodollar', () => limit('0.0000000001')],
    ['an invalid reset', () => limitReset('yearly')],
    ['an empty slug', () => models('exa/answer,')],
    ['a day that is not in the calendar', () => moment('2026-02-31')],
    ['a time without an offset', () => moment('2026-11-01T00:00:00')],
    ['a word for a time', () => moment('yesterday')],
    ['a time before ours', () => moment('1969-12-31')],
    ['a rate of none', () => rate('0/1m')],
    ['a rate in no time', () => rate('60/0m')],
    ['a rate without a period', () => rate('60')],
    ['a rate in an unknown unit', () => rate('60/1w')],
    ['a rate over more than a day', () => rate('60/2d')],
    ['a rate above the largest', () => rate('1000001/1d')],
    ['a rate of a part', () => rate('1.5/s')],
    ['no place at all', () => concurrency('0')],
    ['a part of a place', () => concurrency('1.5')],
    ['more places than there may be', () => concurrency('1000001')],
    ['an empty number', () => concurrency('')],
    ['an id with a space', () => id('a b')],
  ])('refuses %s', (_, read) => {
    expect(read).toThrow(InvalidArgumentError);
  });
});
