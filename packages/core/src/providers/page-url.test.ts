import { describe, expect, it } from 'vitest';
import { siteOf, withoutParameters } from './page-url.js';

describe('withoutParameters', () => {
  it.each([
    ['the only one', 'https://a.example/x?utm_source=openai', 'https://a.example/x'],
    ['the first', 'https://a.example/?utm_source=openai&b=1', 'https://a.example/?b=1'],
    ['the last', 'https://a.example/?b=1&utm_source=openai#c', 'https://a.example/?b=1#c'],
    ['one without a value', 'https://a.example/?ref&b', 'https://a.example/?b'],
    ['one of any value', 'https://a.example/?ref=7&b=%2F%7e', 'https://a.example/?b=%2F%7e'],
    ['all of them', 'https://a.example/?ref=1&ref=2&utm_source=openai', 'https://a.example/'],
  ])('removes %s', (_which, url, expected) => {
    expect(withoutParameters(url, ['utm_source=openai', 'ref'])).toBe(expected);
  });

  it.each([
    'https://a.example/?utm_source=newsletter',
    'https://a.example/?b=utm_source=openai',
    'https://a.example/#?utm_source=openai',
    'https://a.example/?',
    'https://A.example/%7E?q=a+b&&c',
    'no address',
    '',
  ])('leaves %j alone', (url) => {
    expect(withoutParameters(url, ['utm_source=openai', 'ref'])).toBe(url);
  });
});

describe('siteOf', () => {
  it('names the host', () => {
    expect(siteOf('https://www.Example.org:8080/a')).toBe('example.org');
    expect(siteOf('https://docs.example.org')).toBe('docs.example.org');
    expect(siteOf('no address')).toBe('');
  });
});
