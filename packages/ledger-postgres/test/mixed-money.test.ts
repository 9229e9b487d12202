import { testComposedMoney } from '../../core/test/composed-money-suite.js';
import { testFormMoney } from '../../core/test/form-money-suite.js';
import { type Engine, testMixedMoney } from '../../core/test/mixed-money-suite.js';
import { migratedDatabase } from './migrated-database.js';

const database = migratedDatabase();

const engine: Engine = {
  name: 'PostgreSQL',
  runs: 20,
  async open(clock) {
    const ledger = database().ledger({ clock });
    await ledger.migrate();
    return {
      ledger,
      async dispose() {
        await ledger.close();
        await database().empty();
      },
    };
  },
};

testMixedMoney(engine);
testFormMoney(engine);
testComposedMoney(engine);
