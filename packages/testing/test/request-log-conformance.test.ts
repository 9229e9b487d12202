import { memoryRequestLog } from '@searchgate/core/ledger';
import { describe, it } from 'vitest';
import { requestLogConformance } from '../src/request-log-conformance.js';

requestLogConformance({
  describe,
  it,
  create: async () => Promise.resolve({ log: memoryRequestLog(), dispose: () => Promise.resolve() }),
});
