import { describe, expect, it } from 'vitest';
import type { ModelRow, PriceRow } from '../catalog/model-entry.js';
import { atCreditPrice, creditPrice } from './credit-price.js';

const SOURCE = { source: 'https://example.org/prices', asOf: '2026-11-26', confidence: 'high' } as const;

const pricesAt = (paid: string, prices: readonly PriceRow[]) =>
  atCreditPrice({ prices } as ModelRow, { listed: '0.001', paid }).prices;

describe('creditPrice', () => {
  it('is the listed price, unless the host gives another', () => {
    expect(creditPrice('0.001').parse(undefined)).toBe('0.001');
    expect(creditPrice('0.001').parse('0.0003')).toBe('0.0003');
  });

  it.each(['0', '0.000', '-1', '1e-3', '10', '.5', '0.0000000001', 0.001])('refuses %j', (price) => {
    expect(creditPrice('0.001').safeParse(price).error?.issues[0]?.message).toBe(
      'a decimal string of US dollars above 0 with at most 9 decimals, such as "0.001"',
    );
  });
});

describe('atCreditPrice', () => {
  it('scales every flat price of a row', () => {
    const row = { ...SOURCE, kind: 'flat', request: '0.002', perResult: '0.0002', includedResults: 10 } as const;
    expect(pricesAt('0.0005', [row, { ...SOURCE, kind: 'flat', perPage: '0.001' }])).toEqual([
      { ...row, request: '0.001', perResult: '0.0001' },
      { ...SOURCE, kind: 'flat', perPage: '0.0005' },
    ]);
  });

  it('leaves a dynamic price, which is not of credits', () => {
    const row = { ...SOURCE, kind: 'dynamic', typical: '0.002', ceiling: '0.01' } as const;
    expect(pricesAt('0.0005', [row])).toEqual([row]);
  });
});
