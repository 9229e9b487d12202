import { describe, expect, it } from 'vitest';
import { maskUrl, maskUrls } from './mask-urls.js';

describe('maskUrl', () => {
  it.each([
    ['https://api.example.org/v1', 'https://api.example.org/v1'],
    ['https://api.example.org/v1?key=hunter2', 'https://api.example.org/v1?***'],
    ['https://api.example.org#hunter2', 'https://api.example.org#***'],
    ['https://user:hunter2@api.example.org/v1', 'https://***@api.example.org/v1'],
    ['https://hunter2@api.example.org/v1?key=hunter2#hunter2', 'https://***@api.example.org/v1?***'],
    ['https://user:hun/ter2@api.example.org', 'https://***@api.example.org'],
    ['https://user:hun@ter2@api.example.org', 'https://***@api.example.org'],
    ['https://user:hunter2?x@api.example.org', 'https://***'],
    ['https://api.example.org?key=a@hunter2', 'https://***'],
    ['postgres://u:hunter2@db:5432/money?password=hunter2', 'postgres://***@db:5432/money?***'],
    ['api.example.org?key=hunter2', 'api.example.org?***'],
    ['user:hunter2@api.example.org', '***@api.example.org'],
    ['//user:hunter2@api.example.org', '//***@api.example.org'],
    ['https:/api.example.org/?key=hunter2', 'https:/api.example.org/?***'],
    ['', ''],
  ])('shows %s as %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });
});

describe('maskUrls', () => {
  it.each([
    ['plain words? yes, a@b #1', 'plain words? yes, a@b #1'],
    [
      'asked https://a.example/?key=hunter2, then "redis://:hunter2@cache/0"',
      'asked https://a.example/?*** then "redis://***@cache/0"',
    ],
    ['<https://a.example/x?hunter2> and file:///x', '<https://a.example/x?***> and file:///x'],
  ])('shows %s as %s', (text, shown) => {
    expect(maskUrls(text)).toBe(shown);
  });

  it('shows another mask on request', () => {
    expect(maskUrls('https://a:b@c/?d', '[redacted]')).toBe('https://[redacted]@c/?[redacted]');
  });
});
