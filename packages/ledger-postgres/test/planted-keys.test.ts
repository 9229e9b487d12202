import { testPlantedKeys } from '../../core/test/planted-key-suite.js';
import { migratedDatabase } from './migrated-database.js';

const database = migratedDatabase();

testPlantedKeys({
  name: 'PostgreSQL',
  async open() {
    const ledger = database().ledger();
    return Promise.resolve({ ledger, stored: () => database().dump(), dispose: () => ledger.close() });
  },
});
