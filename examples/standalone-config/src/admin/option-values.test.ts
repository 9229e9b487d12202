import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { amount, expiry, id, limit, limitReset, models, moment, signedAmount } from './option-values.js';

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
    ['an end', expiry('2026-11-01'), { to: '2026-11-01T00:00:00.000Z' }],
    ['no end', expiry('never'), { to: null }],
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
    ['an id with a space', () => id('a b')],
  ])('refuses %s', (_, read) => {
    expect(read).toThrow(InvalidArgumentError);
  });
});
