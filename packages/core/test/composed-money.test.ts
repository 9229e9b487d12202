import { testComposedMoney } from './composed-money-suite.js';
import { MEMORY, SQLITE } from './money-engines.js';

testComposedMoney({ ...MEMORY, runs: 100 });
testComposedMoney({ ...SQLITE, runs: 30 });
