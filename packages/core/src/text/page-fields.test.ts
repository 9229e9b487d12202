import { describe, expect, it } from 'vitest';
import { boundText, dayOf, pageTitle, webAddress } from './page-fields.js';

describe('dayOf', () => {
  it.each([
    ['2026-11-02', '2026-11-02'],
    ['2026-11-02T23:30:00-05:00', '2026-11-02'],
    ['2026-11-02 10:00:00', '2026-11-02'],
    ['2026-11-02'.padEnd(64), '2026-11-02'],
    ['2026-11-02'.padEnd(65), null],
    ['Nov 2, 2026', '2026-11-02'],
    ['November 2 2026', '2026-11-02'],
    ['2 November 2026', '2026-11-02'],
    ['02 Nov. 2026', '2026-11-02'],
    ['Mon, 02 Nov 2026 10:00:00 GMT', '2026-11-02'],
    ['2026', null],
    ['2026-11', null],
    ['2026-02-30', null],
    ['02/11/2026', null],
    ['3 days ago', null],
    ['Smarch 2, 2026', null],
    ['Mayor 1, 2020', null],
    ['1 marginal 2020', null],
    ['Sept 9, 2026', '2026-09-09'],
    ['1677-01-01', null],
    ['9999-01-01', null],
    ['', null],
    ['x'.repeat(100_000), null],
    [20261102, null],
    [null, null],
    [undefined, null],
  ])('of %j is %j', (value, day) => {
    expect(dayOf(value)).toBe(day);
  });

  it('knows the days that the calendar has, as Date does', () => {
    const two = (number: number) => String(number).padStart(2, '0');
    for (const year of [1900, 1999, 2000, 2023, 2024, 2100])
      for (let month = 0; month <= 13; month += 1)
        for (let date = 0; date <= 32; date += 1) {
          const day = `${year}-${two(month)}-${two(date)}`;
          const time = Date.parse(`${day}T00:00:00Z`);
          const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
          expect([day, dayOf(day)]).toEqual([day, exists ? day : null]);
        }
  });
});

describe('webAddress', () => {
  it.each([
    ['https://Example.org', 'https://example.org/'],
    ['http://example.org/a b', 'http://example.org/a%20b'],
    ['ftp://example.org/', undefined],
    ['javascript:alert(1)', undefined],
    ['//example.org', undefined],
    ['https://', undefined],
    [`https://example.org/${'a'.repeat(2_028)}`, `https://example.org/${'a'.repeat(2_028)}`],
    [`https://example.org/${'a'.repeat(2_029)}`, undefined],
    [`https://example.org/${'ü'.repeat(1_000)}`, undefined],
    [7, undefined],
    [null, undefined],
  ])('of %j is %j', (value, address) => {
    expect(webAddress(value)).toBe(address);
  });
});

it('a page without a title is called by its host', () => {
  expect(pageTitle(' \n', 'https://www.example.org/a')).toBe('www.example.org');
  expect(pageTitle(undefined, 'https://example.org/')).toBe('example.org');
  expect(pageTitle('Tom &amp;\n Jerry', 'https://example.org/')).toBe('Tom & Jerry');
});

it('texts are cut between characters', () => {
  expect(boundText('a🌉b', 1)).toBe('a');
  expect(boundText('a🌉b', 2)).toBe('a🌉');
  expect(boundText('a🌉b', 3)).toBe('a🌉b');
  expect(boundText(' a\ud800 ', 10)).toBe('a\ufffd');
  expect(boundText(null, 10)).toBe('');
  expect(boundText(`\n\n\n${'a'.repeat(10)}`, 10)).toBe('a'.repeat(10));
});
