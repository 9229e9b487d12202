import { describe, expect, it } from 'vitest';
import { siteOf, withoutParameter } from './page-url.js';

describe('withoutParameter', () => {
  it.each([
    ['the only one', 'https://a.example/x?utm_source=openai', 'https://a.example/x'],
    ['the first', 'https://a.example/?utm_source=openai&b=1', 'https://a.example/?b=1'],
    ['the last', 'https://a.example/?b=1&utm_source=openai#c', 'https://a.example/?b=1#c'],
    ['one in the middle', 'https://a.example/?b=1&utm_source=openai&c=%2F%7e', 'https://a.example/?b=1&c=%2F%7e'],
    ['every one', 'https://a.example/?utm_source=openai&utm_source=openai&b', 'https://a.example/?b'],
    [
      'those in a text',
      '([a](https://a.example/?utm_source=openai)), https://b.example/?b=1&utm_source=openai.',
      '([a](https://a.example/)), https://b.example/?b=1.',
    ],
  ])('removes %s', (_which, text, expected) => {
    expect(withoutParameter(text, 'utm_source=openai')).toBe(expected);
  });

  it.each([
    'https://a.example/?utm_source=newsletter',
    'https://a.example/?utm_source=openai-blog',
    'https://a.example/?utm_source=openai.com',
    'https://a.example/?b=utm_source=openai',
    'https://a.example/?my_utm_source=openai',
    'https://A.example/%7E?q=a+b&&c',
    '[1?utm_source=openai]',
    '``?utm_source=openai`',
    '[https://a.example/](?utm_source=openai)',
    '`https://a.example/`?utm_source=openai',
    'no address',
    '',
  ])('leaves %j alone', (url) => {
    expect(withoutParameter(url, 'utm_source=openai')).toBe(url);
  });

  it('matches the parameter literally', () => {
    expect(withoutParameter('https://a.example/?ref=a.b', 'ref=a.b')).toBe('https://a.example/');
    expect(withoutParameter('https://a.example/?ref=axb', 'ref=a.b')).toBe('https://a.example/?ref=axb');
  });

  it('removes different parameters in successive calls', () => {
    const address = 'https://a.example/?b=1&c=2';
    const parameters = ['b=1', 'c=2', 'b=1'];
    expect(parameters.map((parameter) => withoutParameter(address, parameter))).toEqual([
      'https://a.example/?c=2',
      'https://a.example/?b=1',
      'https://a.example/?c=2',
    ]);
  });
});

describe('siteOf', () => {
  it('names the host', () => {
    expect(siteOf('https://www.Example.org:8080/a')).toBe('example.org');
    expect(siteOf('https://docs.example.org')).toBe('docs.example.org');
    expect(siteOf('https://docs.www.example.org')).toBe('docs.www.example.org');
    expect(siteOf('no address')).toBe('');
  });
});
