import { testFormMoney } from './form-money-suite.js';
import { MEMORY, SQLITE } from './money-engines.js';

const isFast = process.env['SEARCHGATE_TESTS'] === 'fast';

testFormMoney({ ...MEMORY, runs: isFast ? 15 : 100 });
testFormMoney({ ...SQLITE, runs: isFast ? 5 : 30 });
