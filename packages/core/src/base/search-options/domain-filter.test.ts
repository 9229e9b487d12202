import { describe, expect, it } from 'vitest';
import { domainFilter } from './domain-filter.js';

describe('domainFilter', () => {
  it('is undefined if no domains were requested', () => {
    expect(domainFilter(undefined)).toBeUndefined();
    expect(domainFilter({ country: 'DE' })).toBeUndefined();
  });

  it.each([
    ['https://example.org', true],
    ['http://example.org:8080/a?b=evil.example', true],
    ['https://EXAMPLE.org./a', true],
    ['https://news.example.org/a', true],
    ['https://xn--mnchen-3ya.example/a', true],
    ['https://münchen.example/a', true],
    ['https://user:example.org@evil.example/', false],
    ['https://notexample.org', false],
    ['https://example.org.evil.example', false],
    ['https://evil.example/#https://example.org', false],
    ['example.org', false],
    ['', false],
  ])('%s is within: %s', (url, isWithin) => {
    const domains = ['example.org', 'xn--mnchen-3ya.example'];
    expect(domainFilter({ includeDomains: domains })?.(url)).toBe(isWithin);
    expect(domainFilter({ excludeDomains: domains })?.(url)).toBe(!isWithin);
  });

  it('takes time linear in the host', () => {
    expect(domainFilter({ includeDomains: ['example.org'] })?.(`https://${'a.'.repeat(120)}example.org`)).toBe(true);
  });
});
