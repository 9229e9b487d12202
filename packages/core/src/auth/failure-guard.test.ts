import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../base/errors/request-error.js';
import type { CallerRequest } from './caller-request.js';
import { createFailureGuard } from './failure-guard.js';

const logger = { warn: () => undefined, error: () => undefined };
const from = (clientAddress?: string, disconnected = false): CallerRequest => ({
  method: 'GET',
  path: '/api/v1/key',
  header: () => undefined,
  clientAddress,
  disconnected,
});

function guardOf(authFailureLimit: number) {
  const guard = createFailureGuard({ authFailureLimit, ledgerTimeoutMs: 5_000, clock: createFakeClock(), logger });
  return async (request: CallerRequest) => {
    const attempt = () => Promise.reject(new RequestError('invalid_api_key'));
    const error: unknown = await guard.run(request, attempt).catch((thrown: unknown) => thrown);
    return (error as RequestError).reason;
  };
}

describe('createFailureGuard', () => {
  it('counts the callers of one address together', async () => {
    const fail = guardOf(2);
    expect(await fail(from('2001:db8::1'))).toBe('invalid_api_key');
    expect(await fail(from('2001:db8::2'))).toBe('invalid_api_key');
    expect(await fail(from('2001:db8::3'))).toBe('auth_rate_limited');
    expect(await fail(from('2001:db8:0:1::3'))).toBe('invalid_api_key');
  });

  it('limits no caller with an unknown address', async () => {
    const fail = guardOf(1);
    for (let call = 0; call < 5; call += 1) expect(await fail(from())).toBe('invalid_api_key');
  });

  it('looks up no caller whose address is unknown because the connection is closed', async () => {
    const fail = guardOf(1);
    expect(await fail(from(undefined, true))).toBe('client_closed_request');
    expect(await fail(from('192.0.2.1', true))).toBe('invalid_api_key');
  });

  it('limits no caller when the limit is 0, and reads no address then', async () => {
    const fail = guardOf(0);
    const unread = Object.defineProperty(from(), 'clientAddress', {
      get: () => {
        throw new Error('read');
      },
    });
    for (let call = 0; call < 5; call += 1) expect(await fail(unread)).toBe('invalid_api_key');
    expect(await fail(from(undefined, true))).toBe('invalid_api_key');
  });
});
