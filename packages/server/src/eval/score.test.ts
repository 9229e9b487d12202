import { describe, expect, it } from 'vitest';
import { hostOf, isRight, jaccard, rankOf } from './score.js';

const right = (expected: Parameters<typeof isRight>[0], text: string, urls: readonly string[] = []) =>
  isRight(expected, { text, urls });

describe('words', () => {
  it.each([
    ['Paris', 'The capital is PARIS.', true],
    ['Paris', 'Parisian', false],
    ['São Paulo', 'sao\npaulo', true],
    ['1969', 'It was 11969', false],
    ['1969', 'in 1969[2], they say', true],
    ['東京', '首都は東京都です', true],
    ['C++', 'C++ is a language', true],
    ['H2O', 'H₂O', true],
    ['[1]', 'nothing to find', true],
  ])('finds %j in %j: %s', (words, text, found) => {
    expect(right({ contains: [words] }, text)).toBe(found);
    expect(right({ any_of: ['no such word', words] }, text)).toBe(found);
    expect(right({ not: [words] }, text)).toBe(!found);
  });
});

describe('numbers', () => {
  it.each<[number, number, string, boolean]>([
    [384_400, 500, 'about 384,400 km', true],
    [384_400, 500, 'about 384 400 km', true],
    [8_300_000, 1e5, 'some 8.3 million people', true],
    [8_300_000, 1e5, 'some 8.5 million people', false],
    [-40, 0, 'at −40 degrees', true],
    [10, 0, '5-10 days', true],
    [19, 0, 'COVID-19', true],
    [3, 0, 'See [3].', false],
    [2, 0, 'version 1.2', false],
    [100, 0, 'in 2020 100 people', true],
  ])('finds %d within %d in %j: %s', (value, within, text, found) => {
    expect(right({ number: { value, within } }, text)).toBe(found);
  });
});

it('wants every check to hold', () => {
  const expected = { contains: ['Paris'], not: ['Lyon'], url_host: ['example.org'] };
  expect(right(expected, 'Paris', ['https://www.example.org/a'])).toBe(true);
  expect(right(expected, 'Paris', ['https://notexample.org/'])).toBe(false);
  expect(right(expected, 'Paris, not Lyon', ['https://example.org/'])).toBe(false);
  expect(isRight({ first: 1 }, { text: '', urls: [], first: 1 })).toBe(true);
  expect(isRight({ first: 1 }, { text: '', urls: [] })).toBe(false);
});

it('ranks hosts with their subdomains', () => {
  const urls = ['no address', 'https://a.example/', 'https://docs.B.example/x'];
  expect(['b.example', 'www.B.example', 'a.example', 'example'].map((host) => rankOf(host, urls))).toEqual([
    3, 3, 2, 2,
  ]);
  expect(hostOf('https://www.a.example/')).toBe('a.example');
});

it('measures overlap', () => {
  expect([jaccard(['a', 'b', 'b'], ['b', 'c']), jaccard([], ['a']), jaccard([], [])]).toEqual([1 / 3, 0, undefined]);
});
