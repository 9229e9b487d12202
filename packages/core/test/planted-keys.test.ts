import { readFileSync } from 'node:fs';
import { createStorage } from '../../ledger-sqlite/test/storage.js';
import { testPlantedKeys } from './planted-key-suite.js';

testPlantedKeys({
  name: 'SQLite',
  async open() {
    const storage = createStorage();
    const ledger = await storage.connect();
    return {
      ledger,
      stored: async () =>
        Promise.resolve(['', '-wal'].map((end) => readFileSync(storage.file + end, 'latin1')).join('')),
      dispose: () => storage.dispose(),
    };
  },
});
