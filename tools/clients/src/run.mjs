import { fieldsWithoutRow } from './fields.mjs';
import { DIALECTS, startGateway } from './gateway.mjs';
import { strangers } from './only-loopback.mjs';
import { PAGE } from './row.mjs';
import { current, families, unmatched, wanted } from './table.mjs';

const { address, spent, close } = await startGateway();
const rows = families.flatMap((family) => family.rows(address));
const counts = { passed: 0, failed: 0 };

/** Counts a check. @param {string} what @param {string | undefined} problem */
function report(what, problem) {
  counts[problem === undefined ? 'passed' : 'failed'] += 1;
  console.log(problem === undefined ? `ok   ${what}` : `FAIL ${what}: ${problem}`);
}

const listed = (names) => (names.length === 0 ? undefined : names.join(', '));

/** @param {import('./row.mjs').Row} row */
async function problemOf({ call, shown, cost = 0.005 }) {
  const before = await spent();
  try {
    const reply = await call();
    if (shown(reply) !== PAGE) return `shows ${String(JSON.stringify(reply)).slice(0, 300)}`;
  } catch (error) {
    return `throws ${String(error).slice(0, 300)}`;
  }
  const charged = (await spent()) - before;
  return Math.abs(charged - cost) < 1e-9 ? undefined : `charges ${charged} USD in place of ${cost}`;
}

report('every field of the clients has a row in its dialect', listed(fieldsWithoutRow(Object.values(DIALECTS).flat())));
report('every client is called and described', listed(unmatched(rows)));
report('the documents are up to date', current === wanted ? undefined : 'run `npm run docs:clients`');
for (const row of rows) report(`${row.client}, ${row.what}`, await problemOf(row));
await close();
report('no client calls another machine', listed([...strangers]));
console.log(`${counts.passed} passed, ${counts.failed} failed, 0 skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;
