import { describe, expect, it } from 'vitest';
import { CLAIM_CHECKS } from './create-idempotency-store.js';

const REQUEST = {
  keyId: 'key',
  idempotencyKey: 'order-17',
  claimId: 'claim',
  fingerprint: 'a'.repeat(64),
  nowMs: 0,
  expiresAtMs: 1,
};
const RESPONSE = { status: 200, body: '{}', keepUntilMs: 0 };
const complete = ({ keepUntilMs, ...response }: typeof RESPONSE, claim = REQUEST) =>
  CLAIM_CHECKS.complete(claim, response, keepUntilMs);
const refused = (reason: string, name: string, expected: string) =>
  expect.objectContaining({
    reason,
    message: expect.stringMatching(new RegExp(`^${name}: found .*, expected ${expected}`)),
  });

describe('the arguments of a claim', () => {
  it.each([
    ['keyId', '', 'invalid_id', '1 to 128'],
    ['claimId', 'a b', 'invalid_id', '1 to 128'],
    ['idempotencyKey', '', 'invalid_argument', '1 to 255 printable ASCII characters'],
    ['fingerprint', 'A'.repeat(64), 'invalid_argument', 'a lower-case hex SHA-256'],
    ['fingerprint', 'a'.repeat(65), 'invalid_argument', 'a lower-case hex SHA-256'],
    ['fingerprint', ['a'.repeat(64)], 'invalid_argument', 'a lower-case hex SHA-256'],
    ['nowMs', -1, 'invalid_argument', 'whole milliseconds'],
    ['expiresAtMs', 0.5, 'invalid_argument', 'whole milliseconds'],
  ])('are refused with a wrong %s: %o', (name, value, code, expected) => {
    expect(() => CLAIM_CHECKS.claim({ ...REQUEST, [name]: value })).toThrow(refused(code, name, expected));
  });

  it.each([
    ['status', 99, 'an HTTP status'],
    ['status', 600, 'an HTTP status'],
    ['status', 200.5, 'an HTTP status'],
    ['body', 5, 'a text'],
    ['keepUntilMs', -1, 'whole milliseconds'],
  ])('are refused with a wrong %s of its response: %o', (name, value, expected) => {
    expect(() => complete({ ...RESPONSE, [name]: value })).toThrow(refused('invalid_argument', name, expected));
  });

  it('are accepted if valid, up to their bounds', () => {
    expect(() => CLAIM_CHECKS.claim(REQUEST)).not.toThrow();
    for (const status of [100, 599]) expect(() => complete({ ...RESPONSE, status })).not.toThrow();
    expect(() => complete(RESPONSE, { ...REQUEST, keyId: '' })).toThrow(refused('invalid_id', 'keyId', '1 to 128'));
  });
});
