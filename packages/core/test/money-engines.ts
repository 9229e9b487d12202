import { createStorage } from '../../ledger-sqlite/test/storage.js';
import { memoryLedger } from '../src/index.js';
import type { Engine } from './mixed-money-suite.js';

export const MEMORY: Omit<Engine, 'runs'> = {
  name: 'memory',
  isOrdered: true,
  open: (clock) => Promise.resolve({ ledger: memoryLedger({ clock }), dispose: async () => {} }),
};

export const SQLITE: Omit<Engine, 'runs'> = {
  name: 'SQLite',
  isOrdered: true,
  async open(clock) {
    const storage = createStorage(undefined, clock);
    return { ledger: await storage.connect(), dispose: () => storage.dispose() };
  },
};
