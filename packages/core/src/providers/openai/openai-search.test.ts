import { describe, expect, it } from 'vitest';
import { openaiSearch } from './openai-search.js';

describe('the filters of the tool', () => {
  it.each([
    [{}, {}],
    [{ includeDomains: ['a.example'] }, { filters: { allowed_domains: ['a.example'] } }],
    [{ excludeDomains: ['a.example'] }, { filters: { blocked_domains: ['a.example'] } }],
  ])('of %j are %j', (asked, fields) => {
    expect(openaiSearch(asked)).toEqual(fields);
  });
});
