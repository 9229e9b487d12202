import { describe, expect, it } from 'vitest';
import { findBearerToken, withoutToken } from './authenticator.js';

describe('findBearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc  ', 'abc'],
    ['Bearer sg_0123456789ab_x-Y~z.=/+', 'sg_0123456789ab_x-Y~z.=/+'],
  ])('takes the token out of %j', (header, token) => {
    expect(findBearerToken(header)).toBe(token);
  });

  it('distinguishes a missing header from a malformed header', () => {
    expect(findBearerToken(undefined)).toBeNull();
    expect(withoutToken(undefined)).toMatchObject({ reason: 'missing_api_key' });
  });

  it.each([
    ['no scheme', 'abc'],
    ['another scheme', 'Basic abc'],
    ['nothing', ''],
    ['no token', 'Bearer '],
    ['several tokens', 'Bearer a b'],
    ['repeated headers', 'Bearer a, Bearer b'],
    ['characters outside ASCII', 'Bearer clé'],
    ['control characters', 'Bearer a\u0007'],
    ['more than 512 bytes', `Bearer ${'a'.repeat(506)}`],
  ])('refuses %s', (_name, header) => {
    expect(findBearerToken(header)).toBeNull();
    expect(withoutToken(header)).toMatchObject({ reason: 'malformed_authorization' });
  });

  it('accepts exactly 512 bytes', () => {
    expect(findBearerToken(`Bearer ${'a'.repeat(505)}`)).toHaveLength(505);
  });
});
