import type { ApiKeyChange, ApiKeyRecord, Organization } from './api-key-registry.js';

/** An organization as it becomes known with its first key: without a name and without limits of its own. */
export function newOrganization(id: string, createdAtMs: number): Organization {
  return { id, name: null, createdAtMs, suspendedAtMs: null, rateLimit: null, maxConcurrent: null };
}

/** A key with a change. The first revocation stands. */
export function changedKey(key: ApiKeyRecord, change: ApiKeyChange): ApiKeyRecord {
  return { ...key, ...change, revokedAtMs: key.revokedAtMs ?? change.revokedAtMs ?? null };
}
