import { testMixedMoney } from './mixed-money-suite.js';
import { MEMORY, SQLITE } from './money-engines.js';

testMixedMoney({ ...MEMORY, runs: 100 });
testMixedMoney({ ...SQLITE, runs: 30 });
