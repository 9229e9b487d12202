import { describe, expect, it } from 'vitest';
import { type OptionSupport, supportedOptions, unsupportedOptions } from './option-support.js';

const support: OptionSupport = {
  includeDomains: { as: 'sites', max: 2 },
  publishedAfter: { as: 'from' },
  publishedBefore: { as: 'to' },
  country: { as: 'gl', values: ['DE', 'FR'] },
  excludeDomains: { as: 'without', values: ['a.example', 'b.example'] },
};

describe('the options that a model supports', () => {
  it.each([
    [{}, []],
    [{ includeDomains: ['a.example', 'b.example'], country: 'FR' }, []],
    [{ includeDomains: ['a.example', 'b.example', 'c.example'] }, ['includeDomains']],
    [{ country: 'IT' }, ['country']],
    [{ excludeDomains: ['a.example', 'b.example'] }, []],
    [{ excludeDomains: ['a.example', 'c.example'] }, ['excludeDomains']],
    [{ language: 'de' }, ['language']],
    [{ publishedAfter: '2026-01-01', publishedBefore: '2026-02-01' }, []],
    [{ publishedAfter: '2026-01-01' }, []],
    [{ language: 'de', country: 'IT', freshness: 'day' as const }, ['freshness', 'country', 'language']],
  ])('of %j leaves %j', (search, unsupported) => {
    expect(unsupportedOptions(search, support)).toEqual(unsupported);
  });

  it('are empty without a declaration', () => {
    expect(unsupportedOptions({ country: 'DE' })).toEqual(['country']);
    expect(supportedOptions()).toEqual([]);
  });

  it('are named in a fixed order', () => {
    expect(supportedOptions({ language: { as: 'hl' }, ...support })).toEqual([
      'includeDomains',
      'excludeDomains',
      'publishedAfter',
      'publishedBefore',
      'country',
      'language',
    ]);
  });
});
