import { describe, expect, it } from 'vitest';
import { type DomainRule, readDomainRule } from '../domain-rule.js';
import { pageScope, rulesOf, searchWithin } from './page-scope.js';

const names = (count: number) => Array.from({ length: count }, (_, at) => `a${String(at).padStart(2, '0')}.org`);
const rules = (...list: DomainRule[]) => rulesOf(list)!;
const only = (...domains: string[]) => ({ only: domains });
const never = (...domains: string[]) => ({ never: domains });

describe('the rules of a caller', () => {
  it.each([
    [[only('b.org', 'a.org')], ['a.org', 'b.org'], []],
    [[only('a.org'), only('news.a.org', 'b.org')], ['news.a.org'], []],
    [[only('x.a.org', 'b.org'), only('a.org', 'y.b.org')], ['x.a.org', 'y.b.org'], []],
    [[only('a.org'), only('b.org')], [], []],
    [[only('a.org', 'x.a.org')], ['a.org'], []],
    [[never('a.org', 'x.a.org'), never('b.org')], undefined, ['a.org', 'b.org']],
    [[only('x.a.org', 'b.org'), never('a.org')], ['b.org'], ['a.org']],
    [[only('a.org'), never('a.org')], [], ['a.org']],
    [[only('a.org'), never('x.a.org')], ['a.org'], ['x.a.org']],
  ])('of %j are %j without %j', (list: DomainRule[], included, excluded) => {
    expect(rules(...list)).toMatchObject({ only: included, never: excluded });
  });

  it('are none for an empty list, and made once for each list', () => {
    expect([rulesOf(undefined), rulesOf([])]).toEqual([undefined, undefined]);
    const list = [only('a.org')];
    expect(rulesOf(list)).toBe(rulesOf(list));
    expect(rules(only('a.org', 'b.org')).name).toBe(rules(only('b.org', 'a.org')).name);
    expect(rules(only('a.org')).name).not.toBe(rules(never('a.org')).name);
  });

  it.each([only('google.com'), ...[1, 21].map((count) => never(...names(count)))])(
    'of %j allow no redirect to pages of any host',
    (rule) => {
      expect(rules(rule).allows('https://vertexaisearch.cloud.google.com/grounding-api-redirect/a')).toBe(false);
    },
  );

  it.each([
    ['https://A.ORG./x', true],
    ['https://x.a.org/', true],
    ['https://münchen.example/', true],
    ['https://bad.a.org/', false],
    ['https://xa.org/', false],
    ['https://127.0.0.1/', false],
    ['https://', false],
    ['a.org', false],
  ])('allow %s: %s', (url, isAllowed) => {
    expect(rules(only('a.org', 'xn--mnchen-3ya.example'), never('bad.a.org')).allows(url)).toBe(isAllowed);
  });

  it('that exclude alone allow addresses of numbers, but nothing that is no address', () => {
    const { allows } = rules(never('a.org'));
    expect(['https://127.0.0.1/', 'https://[::1]/', '//b.org', 'https://%/'].map(allows)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it.each([
    [{ only: ['A.org', 'MÜNCHEN.example'] }, { only: ['a.org', 'xn--mnchen-3ya.example'] }],
    [{ never: ['b.org', 'a.org', 'a.org'] }, { never: ['a.org', 'b.org'] }],
    [{ only: [] }, undefined],
    [{ only: ['a.org'], never: ['b.org'] }, undefined],
    [{ only: ['https://a.org'] }, undefined],
    [{ only: ['127.0.0.1'] }, undefined],
    [{ except: ['a.org'] }, undefined],
    ['a.org', undefined],
  ])('%j are read as %j', (given, expected) => {
    expect(readDomainRule(given)).toEqual(expected);
  });
});

describe('a search within rules', () => {
  it.each([
    [undefined, [only('a.org')], { includeDomains: ['a.org'] }],
    [{ country: 'DE' }, [never('a.org')], { country: 'DE', excludeDomains: ['a.org'] }],
    [{ includeDomains: ['x.a.org', 'b.org'] }, [only('a.org')], { includeDomains: ['x.a.org'] }],
    [{ includeDomains: ['a.org'] }, [only('x.a.org')], { includeDomains: ['x.a.org'] }],
    [{ includeDomains: ['a.org', 'b.org'] }, [never('b.org')], { includeDomains: ['a.org'] }],
    [{ excludeDomains: ['b.org'] }, [never('a.org')], { excludeDomains: ['a.org', 'b.org'] }],
    [{ excludeDomains: ['b.org'] }, [only('a.org', 'b.org')], { includeDomains: ['a.org'] }],
    [undefined, [only('a.org'), never('x.a.org')], { includeDomains: ['a.org'] }],
    [undefined, [only(...names(20))], { includeDomains: names(20) }],
    [undefined, [only(...names(21))], undefined],
    [{ excludeDomains: ['b.org'] }, [never(...names(20))], { excludeDomains: ['b.org'] }],
    [{ includeDomains: ['a00.org'] }, [only(...names(1_000))], { includeDomains: ['a00.org'] }],
  ])('of %j under %j is %j', (search, list: DomainRule[], expected) => {
    expect(searchWithin(search, rules(...list))).toEqual(expected);
  });

  it.each([
    [undefined, [only('a.org'), only('b.org')]],
    [undefined, [only('a.org'), never('a.org')]],
    [{ includeDomains: ['b.org'] }, [only('a.org')]],
    [{ includeDomains: ['x.b.org'] }, [never('b.org')]],
    [{ excludeDomains: ['a.org'] }, [only('x.a.org')]],
  ])('of %j under %j is refused', (search, list: DomainRule[]) => {
    expect(() => searchWithin(search, rules(...list))).toThrow(
      expect.objectContaining({ reason: 'domains_exclude_all' }),
    );
  });

  it('shows pages within both', () => {
    const shows = pageScope({ excludeDomains: ['x.a.org'] }, rules(only('a.org')))?.shows;
    expect(['https://a.org/', 'https://x.a.org/', 'https://b.org/'].map((url) => shows?.(url))).toEqual([
      true,
      false,
      false,
    ]);
    expect(pageScope(undefined, undefined)).toBeUndefined();
  });
});
