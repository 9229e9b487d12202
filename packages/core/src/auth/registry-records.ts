import type { ApiKeyChange, ApiKeyRecord, Organization } from './api-key-registry.js';

/** The organization that its first key adds: without a name and without limits. */
export function newOrganization(id: string, createdAtMs: number): Organization {
  return {
    id,
    name: null,
    createdAtMs,
    suspendedAtMs: null,
    rateLimit: null,
    maxConcurrent: null,
    operatorPays: false,
    domains: null,
  };
}

/** A key with a change. The first revocation stands. */
export function changedKey(key: ApiKeyRecord, change: ApiKeyChange): ApiKeyRecord {
  return { ...key, ...change, revokedAtMs: key.revokedAtMs ?? change.revokedAtMs ?? null };
}
