import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from './json-text.js';

describe('jsonText', () => {
  it('prints amounts as plain decimals, however small or large', () => {
    expect(jsonText({ cost: 1n })).toBe('{"cost":0.000000001}');
    expect(jsonText({ cost: 5_000_000n, limit: 25_000_000_000n })).toBe('{"cost":0.005,"limit":25}');
    expect(jsonText([4_611_686_018_427_387_904n])).toBe('[4611686018.427387904]');
  });

  it('leaves out fields that are undefined and keeps null', () => {
    expect(jsonText({ a: undefined, b: null, c: true })).toBe('{"b":null,"c":true}');
  });

  it('agrees with JSON.stringify on everything that is not an amount', () => {
    const json = fc.jsonValue({ stringUnit: 'binary' }).filter((value) => !JSON.stringify(value).includes('-0'));
    fc.assert(
      fc.property(json, (value) => {
        expect(jsonText(value as Parameters<typeof jsonText>[0])).toBe(JSON.stringify(value));
      }),
    );
  });
});
