import { memoryTenantKeyStore } from '@searchgate/core/ledger';
import { describe, it } from 'vitest';
import { tenantKeyStoreConformance } from '../src/tenant-key-store-conformance.js';

tenantKeyStoreConformance({
  describe,
  it,
  create: async () => Promise.resolve({ store: memoryTenantKeyStore(), dispose: () => Promise.resolve() }),
});
