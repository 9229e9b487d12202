import { describe, expect, it } from 'vitest';
import type { ApiKeyRecord } from './api-key-registry.js';
import { REGISTRY_CHECKS } from './check-registry-arguments.js';

const KEY: ApiKeyRecord = {
  id: 'key',
  hash: 'a'.repeat(64),
  organizationId: 'acme',
  label: 'demo',
  limit: null,
  limitReset: null,
  allowedModels: null,
  createdAtMs: 0,
  expiresAtMs: null,
  revokedAtMs: null,
};
const ORGANIZATION = { id: 'acme', name: 'Acme', createdAtMs: 0, suspendedAtMs: null };
const slugs = (count: number) => Array.from({ length: count }, () => 'exa/answer');

/** Fields that are wrong, each with the code and the beginning of the message it is refused with. */
const WRONG: [field: string, value: unknown, code: string, message: string][] = [
  ['id', 'a b', 'invalid_id', 'id: '],
  ['label', 'a\0', 'invalid_argument', 'label: '],
  ['limit', -1n, 'invalid_amount', 'limit: '],
  ['limitReset', 'hourly', 'invalid_argument', 'limitReset: '],
  ['allowedModels', slugs(1_001), 'invalid_argument', 'allowedModels: '],
  ['allowedModels', 'exa/answer', 'invalid_argument', 'allowedModels: '],
  ['allowedModels', ['exa/answer', '\0'], 'invalid_argument', 'allowedModels[1]: '],
  ['expiresAtMs', -1, 'invalid_argument', 'expiresAtMs: '],
  ['revokedAtMs', 0.5, 'invalid_argument', 'revokedAtMs: '],
];
const WRONG_IN_RECORDS: typeof WRONG = [
  ['organizationId', '', 'invalid_id', 'organizationId: '],
  ['createdAtMs', -1, 'invalid_argument', 'createdAtMs: '],
  ['hash', 'A'.repeat(64), 'invalid_argument', 'hash: '],
  ['hash', ['a'.repeat(64)], 'invalid_argument', 'hash: '],
];
const refused = (reason: string, message: string) =>
  expect.objectContaining({
    reason,
    message: expect.stringMatching(new RegExp(`^${message.replace(/[[\]]/g, '\\$&')}`)),
  });

describe('the arguments of a registry', () => {
  it.each([...WRONG, ...WRONG_IN_RECORDS])('name a wrong %s of a key: %o', (field, value, code, message) => {
    expect(() => REGISTRY_CHECKS.insertKey({ ...KEY, [field]: value })).toThrow(refused(code, message));
  });

  it.each(WRONG)('name a wrong %s of a change: %o', (field, value, code, message) => {
    const { id, ...change } = { id: 'key', [field]: value };
    expect(() => REGISTRY_CHECKS.updateKey(id, change)).toThrow(refused(code, message));
  });

  it.each<[string, unknown, string, string]>([
    ['id', 'a b', 'invalid_id', 'id: '],
    ['name', '\0', 'invalid_argument', 'name: '],
    ['createdAtMs', -1, 'invalid_argument', 'createdAtMs: '],
    ['suspendedAtMs', -1, 'invalid_argument', 'suspendedAtMs: '],
  ])('name a wrong %s of an organization: %o', (field, value, code, message) => {
    expect(() => REGISTRY_CHECKS.insertOrganization({ ...ORGANIZATION, [field]: value })).toThrow(
      refused(code, message),
    );
  });

  it('may be absent or null, and reach their bounds', () => {
    expect(() => REGISTRY_CHECKS.insertKey(KEY)).not.toThrow();
    expect(() =>
      REGISTRY_CHECKS.insertKey({ ...KEY, limit: 0n, allowedModels: slugs(1_000), expiresAtMs: 0 }),
    ).not.toThrow();
    expect(() => REGISTRY_CHECKS.updateKey('key', {})).not.toThrow();
    expect(() => REGISTRY_CHECKS.insertOrganization({ ...ORGANIZATION, name: null })).not.toThrow();
  });

  it('name the found value, unless it may be a secret', () => {
    expect(() => REGISTRY_CHECKS.updateKey('key', { allowedModels: 5 as never })).toThrow(
      'allowedModels: found 5, expected an array of at most 1000 slugs, or null',
    );
    expect(() => REGISTRY_CHECKS.insertKey({ ...KEY, hash: 'a-secret' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('a-secret') }),
    );
  });
});
