import { hashApiKey } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import type { ServerConfig } from './config-file.js';
import { configuredKeys } from './configured-keys.js';

const secret = 'sg_a_key_of_the_configured_keys_tests';
const key = { secret, label: 'key', organizationId: 'acme', limit: '1.00' };

describe('configuredKeys', () => {
  it('reads an alias in an allow-list as its model', async () => {
    const aliases = { docs: 'local/docs', fast: 'exa/answer', toString: 'you/answer' };
    const listed = (allowedModels: readonly string[]) => ({ ...key, allowedModels: [...allowedModels] });
    const [found] = await configuredKeys({ apiKeys: [listed(['docs', 'local/docs', 'valueOf', 'toString'])], aliases });
    expect(found?.allowedModels).toEqual(['local/docs', 'valueOf', 'you/answer']);
    const [none] = await configuredKeys({ apiKeys: [listed([])], aliases });
    expect(none?.allowedModels).toEqual([]);
  });

  it('reads secrets and hashes into records of a registry, in order', async () => {
    const secretHash = 'ab'.repeat(32);
    const apiKeys: ServerConfig['apiKeys'] = [
      key,
      {
        secretHash,
        label: 'hashed',
        organizationId: 'acme',
        limit: '2',
        limitReset: 'monthly',
        allowedModels: ['local/docs'],
        budgets: ['user:ada', 'team:research'],
        domains: { only: ['example.org'] },
        rateLimit: { requests: 60, periodMs: 60_000 },
        maxConcurrent: 4,
        expiresAt: '2030-01-01T01:00:00+01:00',
        revoked: true,
      },
    ];
    const keys = await configuredKeys({ apiKeys });
    expect(keys).toEqual([
      {
        id: `sg_${hashApiKey(secret).slice(0, 12)}`,
        hash: hashApiKey(secret),
        organizationId: 'acme',
        label: 'key',
        limit: 1_000_000_000n,
        limitReset: null,
        allowedModels: null,
        budgets: [],
        domains: null,
        rateLimit: null,
        maxConcurrent: null,
        expiresAtMs: null,
        revoked: false,
      },
      {
        id: 'sg_abababababab',
        hash: secretHash,
        organizationId: 'acme',
        label: 'hashed',
        limit: 2_000_000_000n,
        limitReset: 'monthly',
        allowedModels: ['local/docs'],
        budgets: ['user:ada', 'team:research'],
        domains: { only: ['example.org'] },
        rateLimit: { requests: 60, periodMs: 60_000 },
        maxConcurrent: 4,
        expiresAtMs: Date.UTC(2030, 0, 1),
        revoked: true,
      },
    ]);
  });

  it.each<[string, ServerConfig['apiKeys']]>([
    ['apiKeys[0].secret: found a string (not shown), expected at least 20', [{ ...key, secret: 'short' }]],
    ['apiKeys[0]: found an object, expected exactly one of', [{ ...key, secret: undefined }]],
    ['apiKeys[1]: found an object, expected a secret and id no other key has', [key, key]],
    [
      'apiKeys[0].limitReset: found "daily", expected a limit that it resets',
      [{ ...key, limit: null, limitReset: 'daily' }],
    ],
    ['apiKeys[0].expiresAt: found "tomorrow"', [{ ...key, expiresAt: 'tomorrow' }]],
  ])('refuses keys: %s', async (message, keys) => {
    await expect(configuredKeys({ apiKeys: keys })).rejects.toThrow(message);
    await expect(configuredKeys({ apiKeys: keys })).rejects.not.toThrow(secret);
  });
});
