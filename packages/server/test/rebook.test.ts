import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { archiveEntries } from '../src/admin/archive-entries.js';
import { openDurableLedger } from '../src/ledger/open-ledger.js';
import { adminShell } from './kit/admin-shell.js';
import { shortDocuments, spawnServer, temporaryFolder } from './kit/spawn-server.js';
import { SLOW_MS } from './kit/standalone-suite.js';

const program = new URL('../src/bin/searchgate.ts', import.meta.url);
const secret = 'sg_a_key_of_the_tests_of_rebooking';

it('books after a restore what the log has and the ledger lacks, once', { timeout: 2 * SLOW_MS }, async () => {
  const folder = temporaryFolder();
  const [config, log, backup, database] = ['config.json', 'log', 'backup.db', 'money.db'].map((name) =>
    join(folder, name),
  );
  const apiKeys = [{ secret, label: 'key', organizationId: 'acme', limit: null }];
  writeFileSync(
    config!,
    JSON.stringify({ organizations: [{ id: 'acme', credits: '0.0055' }], apiKeys, cache: { ttlMs: 60_000 } }),
  );
  const ledger = `sqlite:${database}`;
  const admin = adminShell(ledger);
  const server = await spawnServer(program, {
    ...shortDocuments(),
    SEARCHGATE_CONFIG: config!,
    SEARCHGATE_LEDGER: ledger,
    SEARCHGATE_LOG_FORMAT: 'iso',
  });
  const ask = async (query: string, tag: string) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'local/docs', query, tag });
    return (await fetch(`${server.url}/api/v1/answer`, { method: 'POST', headers, body })).status;
  };
  for (const tag of ['a', 'b']) expect(await ask(`When does the shop open, ${tag}?`, tag)).toBe(200);
  expect((await admin('ledger', 'backup', '--to', backup!)).code).toBe(0);
  for (const tag of ['c', 'd', 'e']) expect(await ask(`When does the shop open, ${tag}?`, tag)).toBe(200);
  expect(await ask('When does the shop open, a?', 'cached')).toBe(402);
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  expect(server.stderr()).toMatch(/^\{"level":"info","time":"20\d\d-[^"]+Z",.*"type":"request_finished"/m);
  writeFileSync(log!, `a line of another program\n${server.stderr()}`);
  const before = (await admin('usage', '--by', 'tag', '--json')).json() as object[];

  const restored = adminShell(`sqlite:${backup}`);
  const rebook = async (...options: string[]) => {
    const { code, json } = await restored('ledger', 'rebook', '--from', log!, '--json', ...options);
    return { code, ...(json() as object) };
  };
  expect((await restored('usage', '--by', 'tag', '--json')).json()).not.toEqual(before);
  const found = { code: 0, charges: 5, missing: 3, amount: '0.003', refused: [], unreadable: [] };
  expect(await rebook('--dry-run')).toEqual({ ...found, booked: 0 });

  // A grant that the backup lacks: the ledger refuses, until there are credits again.
  const owe = (amount: string) =>
    restored('credits', 'adjust', '--org', 'acme', '--amount', amount, '--note', 'a test', '--id', `owe${amount}`);
  await owe('1');
  const reason = 'the organization has no credits left';
  const refused = Array.from({ length: 3 }, () => ({ id: expect.stringMatching(/^ans_/) as string, reason }));
  expect(await rebook()).toEqual({ ...found, code: 1, booked: 0, refused });
  await owe('-1');
  expect(await rebook()).toEqual({ ...found, booked: 3 });
  expect(((await restored('usage', '--by', 'tag', '--json')).json() as object[]).slice(0, -1)).toEqual(
    before.slice(0, -1),
  );
  expect((await restored('ledger', 'verify')).code).toBe(0);
  expect(await rebook()).toEqual({ ...found, missing: 0, amount: '0', booked: 0 });

  // An archive takes the entries and their ids: what is older may not be booked again.
  const opened = await openDurableLedger(
    { engine: 'sqlite', file: backup! },
    { warn: () => undefined, error: () => undefined },
  );
  await archiveEntries(opened.ledger, Date.now() + 1, join(folder, 'old.ndjson.gz'));
  await opened.close();
  const archived = { id: expect.any(String) as string, reason: expect.stringContaining('archived') as string };
  const left = { missing: 4, booked: 0, refused: [archived, archived, archived, archived] };
  expect(await rebook()).toMatchObject({ code: 1, charges: 5, ...left });

  const { code, stderr } = await restored('ledger', 'rebook', '--from', join(folder, 'none'));
  expect([code, stderr]).toEqual([1, expect.stringContaining('--from: found ')]);
});
