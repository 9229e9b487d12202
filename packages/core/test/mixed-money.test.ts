import { createStorage } from '../../ledger-sqlite/test/storage.js';
import { memoryLedger } from '../src/index.js';
import { testMixedMoney } from './mixed-money-suite.js';

testMixedMoney({
  name: 'memory',
  runs: 100,
  open: (clock) => Promise.resolve({ ledger: memoryLedger({ clock }), dispose: async () => {} }),
});

testMixedMoney({
  name: 'SQLite',
  runs: 30,
  async open(clock) {
    const storage = createStorage(undefined, clock);
    return { ledger: await storage.connect(), dispose: () => storage.dispose() };
  },
});
