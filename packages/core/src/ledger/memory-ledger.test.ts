import * as fastCheck from 'fast-check';
import { describe, it } from 'vitest';
import { createFakeClock } from '../testing/fake-clock.js';
import { ledgerConformance } from '../testing/ledger-conformance.js';
import { memoryLedger } from './memory-ledger.js';

ledgerConformance({
  describe,
  it,
  fastCheck,
  supports: { clock: true },
  create: async () => {
    const clock = createFakeClock();
    const ledger = memoryLedger({ clock });
    return { ledger, now: () => clock.now(), advance: (ms) => clock.advance(ms), dispose: () => ledger.close() };
  },
});
