import { memoryLedger } from '@searchgate/core';
import type { OpenedLedger } from './opened-ledger.js';

export function openMemory(): OpenedLedger {
  return {
    ledger: memoryLedger(),
    describe: async () => ({ version: '', settings: 'keeps nothing beyond the process' }),
    ask: null,
    keep: null,
  };
}
