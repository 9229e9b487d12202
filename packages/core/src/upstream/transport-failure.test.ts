import { describe, expect, it } from 'vitest';
import { transportFailure } from './transport-failure.js';

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

describe('transportFailure', () => {
  it.each([
    ['ENOTFOUND', 'connect', 'upstream_unreachable'],
    ['EAI_AGAIN', 'connect', 'upstream_unreachable'],
    ['CERT_HAS_EXPIRED', 'connect', 'upstream_unreachable'],
    ['EPIPE', 'headers', 'upstream_unreachable'],
    ['ECONNRESET', 'headers', 'upstream_unreachable'],
    ['UND_ERR_HEADERS_OVERFLOW', 'headers', 'upstream_invalid_response'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'headers', 'upstream_invalid_response'],
    ['ECONNRESET', 'body', 'upstream_invalid_response'],
    ['UND_ERR_HEADERS_TIMEOUT', 'headers', 'upstream_timeout'],
    ['UND_ERR_BODY_TIMEOUT', 'body', 'upstream_timeout'],
  ] as const)('reads %s in phase %s as %s', (code, phase, reason) => {
    const status = phase === 'body' ? 200 : null;
    const cause = systemError(code, 'what happened');
    const failure = transportFailure(cause, { phase, status });
    expect(failure).toMatchObject({ reason, phase, status, cause, detail: `${code} what happened` });
  });

  it.each([
    ['UND_ERR_SOCKET', 'bad response', 'upstream_invalid_response'],
    ['UND_ERR_SOCKET', 'bad upgrade', 'upstream_invalid_response'],
    ['UND_ERR_SOCKET', 'other side closed', 'upstream_unreachable'],
    ['EOTHER', 'bad response', 'upstream_unreachable'],
  ])('tells by its message whether a reply is out of place: %s %s', (code, message, reason) => {
    expect(transportFailure(systemError(code, message), { phase: 'headers', status: null }).reason).toBe(reason);
  });

  it('names an error whose code is a number by its name', () => {
    const failure = transportFailure(Object.assign(new TypeError('what happened'), { code: 23 }), {
      phase: 'connect',
      status: null,
    });
    expect(failure.detail).toBe('TypeError what happened');
  });

  it('names an error that has no code, and hides what looks like a credential', () => {
    const failure = transportFailure(new TypeError('cannot reach http://user:hunter2@127.0.0.1/'), {
      phase: 'connect',
      status: null,
    });
    expect(failure.detail).toBe('TypeError cannot reach http://[redacted]@127.0.0.1/');
  });

  it('does not keep the raw bytes of a broken reply', () => {
    const broken = Object.assign(new Error('no HTTP'), { name: 'HTTPParserError', data: 'Bearer abcdef' });
    const failure = transportFailure(broken, { phase: 'headers', status: null });
    expect(failure.reason).toBe('upstream_invalid_response');
    expect(failure.cause).toBeUndefined();
  });
});
