import { memoryAuditLog } from '@searchgate/core/ledger';
import { describe, it } from 'vitest';
import { auditLogConformance } from '../src/audit-log-conformance.js';

auditLogConformance({
  describe,
  it,
  create: async () => Promise.resolve({ log: memoryAuditLog(), dispose: () => Promise.resolve() }),
});
