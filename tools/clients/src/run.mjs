import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createGateway, memoryLedger } from '../../../packages/core/src/index.ts';
import { handleNode } from '../../../packages/core/src/node/index.ts';
import { exa, firecrawl, searxng, tavily } from '../../../packages/dialects/src/index.ts';
import { retrievalProvider } from '../../../packages/dialects/test/retrieval-provider.ts';
import { fieldsWithoutRow } from './fields.mjs';
import { rowsOf } from './rows.mjs';

const PAGE = readFileSync(new URL('../../../docs/clients/search-clients.md', import.meta.url), 'utf8');
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const KEY = 'sk-unchanged';
const MODELS = { search: 'house/search', extract: 'house/extract', answer: 'house/answer' };
const ENDPOINTS = {
  tavily: tavily(MODELS),
  exa: exa(MODELS),
  firecrawl: firecrawl(MODELS),
  searxng: searxng(MODELS),
};

const gateway = createGateway({
  providers: [retrievalProvider(() => undefined)],
  ledger: memoryLedger({ credits: { acme: '100' } }),
  authenticate: (token) => (token === KEY ? { id: 'key', organizationId: 'acme' } : null),
  endpoints: ENDPOINTS,
});
const server = createServer((req, res) => void handleNode(gateway, { req, res }));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const spent = async () => Math.round((await gateway.credits({ apiKey: KEY })).totalUsage * 1_000);

/** @param {import('./rows.mjs').Row} row */
async function problemOf({ client, call, shown }) {
  const version = dependencies[client];
  if (version !== undefined && !PAGE.includes(`\`${client}\` ${version}`)) return 'is not in the documents';
  const before = await spent();
  try {
    const reply = await call();
    if (shown(reply) !== 'https://example.org/zephyr') return `shows ${String(JSON.stringify(reply)).slice(0, 300)}`;
  } catch (error) {
    return `throws ${String(error).slice(0, 300)}`;
  }
  const charged = (await spent()) - before;
  return charged === 5 ? undefined : `is charged ${charged / 1_000} USD in place of 0.005`;
}

const unknown = fieldsWithoutRow(Object.values(ENDPOINTS).flat());
console.log(
  unknown.length === 0 ? 'ok   every field of the clients has a row' : `FAIL no row has ${unknown.join(', ')}`,
);
const counts = { passed: unknown.length === 0 ? 1 : 0, failed: unknown.length === 0 ? 0 : 1 };
for (const row of rowsOf(`http://127.0.0.1:${server.address().port}/api/v1`, KEY)) {
  const problem = await problemOf(row);
  counts[problem === undefined ? 'passed' : 'failed'] += 1;
  console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${row.client}: ${row.what} ${problem ?? ''}`);
}
server.close();
await gateway.close();
console.log(`${counts.passed} passed, ${counts.failed} failed, 0 skipped`);
process.exitCode = counts.failed === 0 ? 0 : 1;
