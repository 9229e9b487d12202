import { readdirSync, readFileSync } from 'node:fs';
import { fieldsWithoutRow } from './fields.mjs';
import { DIALECTS, startGateway } from './gateway.mjs';
import { strangers } from './only-loopback.mjs';
import { PAGE } from './row.mjs';

const DOCUMENT = readFileSync(new URL('../../../docs/clients/search-clients.md', import.meta.url), 'utf8');
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const FAMILIES = new URL('./rows/', import.meta.url);

const { address, spent, close } = await startGateway();
const counts = { passed: 0, failed: 0 };

/** Counts a check. @param {string} what @param {string | undefined} problem */
function report(what, problem) {
  counts[problem === undefined ? 'passed' : 'failed'] += 1;
  console.log(problem === undefined ? `ok   ${what}` : `FAIL ${what} ${problem}`);
}

/** @param {import('./row.mjs').Row} row */
async function problemOf({ client, call, shown, cost = 0.005 }) {
  const version = dependencies[client];
  if (version !== undefined && !DOCUMENT.includes(`\`${client}\` ${version}`)) return 'is not in the documents';
  const before = await spent();
  try {
    const reply = await call();
    if (shown(reply) !== PAGE) return `shows ${String(JSON.stringify(reply)).slice(0, 300)}`;
  } catch (error) {
    return `throws ${String(error).slice(0, 300)}`;
  }
  const charged = (await spent()) - before;
  return Math.abs(charged - cost) < 1e-9 ? undefined : `is charged ${charged} USD in place of ${cost}`;
}

const unknown = fieldsWithoutRow(Object.values(DIALECTS).flat());
report('every field of the clients has a row', unknown.length === 0 ? undefined : `: none has ${unknown.join(', ')}`);
for (const file of readdirSync(FAMILIES)) {
  const { rows } = await import(new URL(file, FAMILIES));
  for (const row of rows(address)) report(`${row.client}: ${row.what}`, await problemOf(row));
}
await close();
report('no client calls another machine', strangers.size === 0 ? undefined : `: one calls ${[...strangers].join(', ')}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, 0 skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;
