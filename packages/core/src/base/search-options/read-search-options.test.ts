import { describe, expect, it } from 'vitest';
import { createSearchReader } from './read-search-options.js';

const onTheWire = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const read = (given: unknown) => createSearchReader(onTheWire)(given);
const inProcess = (given: unknown) => createSearchReader((name) => name)(given);
const LONGEST_DOMAIN = `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(61)}`;
const path = (given: unknown) => read(given).issues.map((issue) => issue.path);

describe('search options', () => {
  it.each([undefined, null, {}])('are absent for %j', (given) => {
    expect(read(given)).toEqual({ value: undefined, issues: [] });
  });

  it('have the names of their transport', () => {
    const search = { includeDomains: ['example.org'], publishedAfter: '2026-01-31' };
    expect(read({ include_domains: ['example.org'], published_after: '2026-01-31' }).value).toEqual(search);
    expect(inProcess(search).value).toEqual(search);
    expect(path(search)).toEqual(['search.includeDomains']);
    expect(inProcess({ include_domains: ['example.org'] }).issues).toHaveLength(1);
  });

  it('are equal, and in equal order, for any order and spelling in the request', () => {
    const one = read({ language: 'DE', exclude_domains: ['b.example', 'A.Example', 'a.example'], country: 'de' });
    const other = read({ country: 'DE', language: 'de', exclude_domains: ['a.example', 'b.example'] });
    expect(JSON.stringify(one.value)).toBe(JSON.stringify(other.value));
    expect(one.value).toEqual({ excludeDomains: ['a.example', 'b.example'], country: 'DE', language: 'de' });
  });

  it('have only requested options: undefined fields count as absent', () => {
    expect(Object.keys(inProcess({ freshness: 'week', country: undefined }).value ?? {})).toEqual(['freshness']);
    expect(inProcess({ country: undefined }).value).toBeUndefined();
  });

  it.each([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['例え。jp', 'xn--r8jz45g.jp'],
    ['News.Example.CO.UK', 'news.example.co.uk'],
    ['4chan.example', '4chan.example'],
    ['taxn--b.example', 'taxn--b.example'],
    [LONGEST_DOMAIN, LONGEST_DOMAIN],
  ])('name the host %s as %s', (given, domain) => {
    expect(read({ include_domains: [given] }).value?.includeDomains).toEqual([domain]);
  });

  it.each([
    'https://example.org',
    'example.org/news',
    'example.org:443',
    '*.example.org',
    '.example.org',
    'example.org.',
    'example',
    '',
    ' example.org',
    'exam ple.org',
    'example..org',
    '-a.example',
    'a_b.example',
    'ex%41mple.org',
    'me@example.org',
    '192.0.2.1',
    '0x7f.1',
    '[::1]',
    '::1',
    'xn--zzzzzz.example',
    'xn--xn---epa.example',
    'example.xn--xn---epa',
    `${'a'.repeat(64)}.example`,
    `a${LONGEST_DOMAIN}`,
    // Longer in ASCII than as written, and shorter.
    `${`${'ü'.repeat(37)}.`.repeat(6)}example`,
    `a${'\u00ad'.repeat(253)}.example`,
    `${'a.'.repeat(130)}example`,
    'example.org\n',
    7,
    null,
    {},
    ['example.org'],
  ])('refuse %j as a host', (domain) => {
    expect(read({ include_domains: ['example.org', domain] })).toMatchObject({
      value: undefined,
      issues: [{ path: 'search.include_domains', message: expect.stringContaining('host names') }],
    });
  });

  it('accept 1 to 20 hosts', () => {
    const hosts = (count: number) => Array.from({ length: count }, (_, index) => `h${index}.example`);
    expect(read({ exclude_domains: hosts(20) }).value?.excludeDomains).toHaveLength(20);
    expect(path({ exclude_domains: hosts(21) })).toEqual(['search.exclude_domains']);
    expect(path({ exclude_domains: [] })).toEqual(['search.exclude_domains']);
    expect(path({ exclude_domains: 'example.org' })).toEqual(['search.exclude_domains']);
  });

  it.each([
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '26-01-01',
    '2026-01',
    ['2026-01-01'],
    '2026-01-01T00:00:00Z',
    '',
    20260101,
    null,
  ])('refuse %j as a date', (date) => {
    expect(path({ published_after: date })).toEqual(['search.published_after']);
    expect(path({ published_before: date })).toEqual(['search.published_before']);
  });

  it('accept the day of a leap year, and a range of a single day', () => {
    const range = { published_after: '2028-02-29', published_before: '2028-02-29' };
    expect(read(range).value).toEqual({ publishedAfter: '2028-02-29', publishedBefore: '2028-02-29' });
  });

  it.each([
    [{ freshness: 'hour' }, 'search.freshness'],
    [{ freshness: 'Day' }, 'search.freshness'],
    [{ freshness: null }, 'search.freshness'],
    [{ country: 'UK' }, 'search.country'],
    [{ country: 'EU' }, 'search.country'],
    [{ country: 'DEU' }, 'search.country'],
    [{ country: 'ıs' }, 'search.country'],
    [{ country: 'sı' }, 'search.country'],
    [{ language: 'xx' }, 'search.language'],
    [{ language: 'en-GB' }, 'search.language'],
    [{ language: ['en'] }, 'search.language'],
    [{ foo: 1 }, 'search.foo'],
    [{ freshness: 'day', constructor: 1 }, 'search.constructor'],
    ['day', 'search'],
    [[], 'search'],
    [false, 'search'],
  ])('refuse %j', (given, wrong) => {
    expect(read(given)).toMatchObject({ value: undefined, issues: [{ path: wrong }] });
  });

  const together = (one: string, other: string) => ({
    path: `search.${other}`,
    message: `must not be given together with search.${one}`,
  });

  it.each([
    [
      { include_domains: ['a.example'], exclude_domains: ['b.example'] },
      [together('include_domains', 'exclude_domains')],
    ],
    [{ freshness: 'day', published_after: '2026-01-01' }, [together('freshness', 'published_after')]],
    [
      { freshness: 'day', published_after: '2026-01-01', published_before: '2026-01-02' },
      [together('freshness', 'published_after'), together('freshness', 'published_before')],
    ],
    [
      { published_after: '2026-01-02', published_before: '2026-01-01' },
      [{ path: 'search.published_before', message: 'must not be before search.published_after' }],
    ],
  ])('refuse %j, which contradicts itself', (given, issues) => {
    expect(read(given)).toEqual({ value: undefined, issues });
  });

  it.each([{ published_after: '2026-01-02' }, { published_before: '2026-01-02' }])(
    'take %j, which is open',
    (given) => {
      expect(read(given).issues).toEqual([]);
    },
  );

  it('report every wrong option, and only the beginning of an unknown name', () => {
    expect(path({ country: 'XX', freshness: 7 })).toEqual(['search.freshness', 'search.country']);
    expect(path({ ['x'.repeat(60_000)]: 1 })[0]).toHaveLength(71);
    expect(read({ foo: 1 }).issues).toEqual([{ path: 'search.foo', message: 'is no search option' }]);
  });

  it('never come from a prototype', () => {
    expect(read(Object.create({ freshness: 'day' })).value).toBeUndefined();
  });
});
