import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { memoryLedger } from '@searchgate/core';
import type { OpenedLedger } from './opened-ledger.js';

/** @param maxEntries how many entries it keeps; default the ledger's own. */
export function openMemory(maxEntries?: number): OpenedLedger {
  return {
    ledger: memoryLedger(maxEntries === undefined ? {} : { maxEntries }),
    describe: async () => ({ version: '', settings: 'keeps nothing beyond the process' }),
    ask: null,
    keep: null,
    async storedBytes() {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    },
  };
}

/** What no longer belongs to anything would be counted too. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
