import { describe, expect, it } from 'vitest';
import type { GatewayRequest } from './gateway-request.js';
import { checkBodyHeaders } from './read-request-body.js';

const check = (headers: Record<string, string>) => () => {
  checkBodyHeaders({ header: (name) => headers[name] } as GatewayRequest, 100);
};
const refused = expect.objectContaining({ reason: 'unsupported_media_type' });

describe('checkBodyHeaders', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF8',
    'application/json; charset="utf-8"; profile=x',
    'application/vnd.api+json',
    'application/problem+json; charset=utf-8',
  ])('accepts %s', (contentType) => {
    expect(check({ 'content-type': contentType })).not.toThrow();
  });

  it.each([
    '',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    '+json',
  ])('refuses "%s"', (contentType) => {
    expect(check({ 'content-type': contentType })).toThrow(refused);
  });

  it('refuses a body without a content type', () => {
    expect(check({})).toThrow(refused);
  });

  it('accepts no content encoding but identity', () => {
    const json = { 'content-type': 'application/json' };
    expect(check({ ...json, 'content-encoding': 'Identity' })).not.toThrow();
    expect(check({ ...json, 'content-encoding': 'gzip' })).toThrow(refused);
    expect(check({ ...json, 'content-encoding': 'identity, gzip' })).toThrow(refused);
  });

  it('refuses a body by its `content-length`, and reports the limit', () => {
    const json = { 'content-type': 'application/json' };
    expect(check({ ...json, 'content-length': '100' })).not.toThrow();
    expect(check({ ...json, 'content-length': '101' })).toThrow(
      expect.objectContaining({ reason: 'request_too_large', details: { maxBodyBytes: 100 } }),
    );
  });
});
