import { describe, expect, it } from 'vitest';
import type { ClientOptions } from './client-options.js';
import { readOptions } from './read-options.js';

const GOOD: ClientOptions = { baseUrl: 'https://api.example.com/search' };

describe('readOptions', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['http://127.0.0.1:3000/search/', 'http://127.0.0.1:3000/search'],
    [new URL('https://API.example.com/a/b'), 'https://api.example.com/a/b'],
  ])('takes %s as a baseUrl', (baseUrl, read) => {
    expect(readOptions({ baseUrl }).baseUrl).toBe(read);
  });

  it.each([
    { baseUrl: '/search' },
    { baseUrl: 'ftp://example.com' },
    { baseUrl: 'https://me:secret@example.com' },
    { baseUrl: 'https://example.com/?a=1' },
    { baseUrl: 'https://example.com/#a' },
    { ...GOOD, apiKey: '' },
    { ...GOOD, apiKey: 'two words' },
    { ...GOOD, apiKey: 'schlüssel' },
    { ...GOOD, maxRetries: -1 },
    { ...GOOD, maxRetries: 11 },
    { ...GOOD, maxRetries: 0.5 },
    { ...GOOD, timeoutMs: 0 },
    { ...GOOD, timeoutMs: 2 ** 31 },
    { ...GOOD, timeoutMs: Number.NaN },
  ])('refuses %j', (options) => {
    expect(() => readOptions(options)).toThrow(TypeError);
  });

  it.each([
    ['apiKey', { apiKey: 'sg_a-secret\n' }],
    ['headers', { headers: { 'X-Key': 'sg_a-secret\nx' } }],
    ['baseUrl', { baseUrl: 'https://me:sg_a-secret@example.com' }],
  ])('refuses %s that cannot be sent without printing it', (name, options) => {
    const read = () => readOptions({ ...GOOD, ...options });
    expect(read).toThrow(new RegExp(`^${name} must be`));
    expect(read).not.toThrow(/secret/);
  });

  it('has defaults for all other options', () => {
    const { maxRetries, timeoutMs, headers } = readOptions(GOOD);
    expect([maxRetries, timeoutMs, [...headers]]).toEqual([2, 200_000, []]);
  });
});
