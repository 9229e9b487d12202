import type { Organization } from './api-key-registry.js';

/** An organization as it becomes known with its first key: without a name and without limits of its own. */
export function newOrganization(id: string, createdAtMs: number): Organization {
  return { id, name: null, createdAtMs, suspendedAtMs: null, rateLimit: null, maxConcurrent: null };
}
