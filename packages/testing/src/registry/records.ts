import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  type ApiKey,
  type ApiKeyRecord,
  type ApiKeyRegistry,
  newOrganization,
  type Organization,
} from '@searchgate/core/ledger';
import { allPages } from '../all-pages.js';

/** Creation time of the records in these tests: 2026-01-01. */
export const CREATED_AT_MS = Date.UTC(2026, 0, 1);

/** A unique hash of the given word. */
export function hashOf(word: string): string {
  return createHash('sha256').update(word).digest('hex');
}

/** `key-1` of `acme`, without limits, with the given changes. Its hash depends on its id. */
export function keyOf(changes: Partial<ApiKeyRecord> = {}): ApiKeyRecord {
  const { id = 'key-1', hash = hashOf(id) } = changes;
  return {
    id,
    hash,
    organizationId: 'acme',
    label: 'a key',
    limit: null,
    limitReset: null,
    allowedModels: null,
    budgets: [],
    domains: null,
    rateLimit: null,
    maxConcurrent: null,
    createdAtMs: CREATED_AT_MS,
    expiresAtMs: null,
    revokedAtMs: null,
    ...changes,
  };
}

/** A key with a value in every optional field. */
export const FULL_KEY: ApiKeyRecord = keyOf({
  id: 'full',
  label: 'Schlüssel für CI — 鍵 🔑',
  limit: 5_000_000_001n,
  limitReset: 'weekly',
  allowedModels: ['exa/answer', 'perplexity/sonar'],
  rateLimit: { requests: 1_000_000, periodMs: 86_400_000 },
  maxConcurrent: 1_000_000,
  domains: { only: ['example.org', 'xn--bcher-kva.example'] },
  expiresAtMs: CREATED_AT_MS + 86_400_000,
  revokedAtMs: CREATED_AT_MS + 3_600_000,
});

/** `acme`, without a name, with the given changes. */
export function organizationOf(changes: Partial<Organization> = {}): Organization {
  return { ...newOrganization('acme', CREATED_AT_MS), ...changes };
}

/** Asserts every field that a gateway reads of a stored key; the hash is not returned. */
export async function assertFound(
  registry: ApiKeyRegistry,
  key: ApiKeyRecord,
  organization: Partial<Organization> = {},
): Promise<void> {
  const { hash, createdAtMs: _, budgets: _ids, domains, ...visible } = key;
  const { suspendedAtMs = null, rateLimit = null, maxConcurrent = null, operatorPays = false } = organization;
  const rules = [organization.domains, domains].filter((rule) => rule != null);
  const expected: ApiKey = {
    ...visible,
    ...(rules.length > 0 && { domains: rules }),
    operatorPays,
    organizationSuspended: suspendedAtMs !== null,
    organizationRateLimit: rateLimit,
    organizationMaxConcurrent: maxConcurrent,
  };
  assert.deepEqual(await registry.findByHash(hash), expected);
}

/** Asserts that an operation changes neither a key nor an organization. */
export async function assertNoChange(registry: ApiKeyRegistry, operation: () => Promise<unknown>): Promise<void> {
  const snapshot = async () => ({
    keys: await allPages((next) => registry.listKeys(next)),
    organizations: await allPages((next) => registry.listOrganizations(next)),
  });
  const before = await snapshot();
  await operation();
  assert.deepEqual(await snapshot(), before, 'nothing has changed');
}
