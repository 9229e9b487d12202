import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '@searchgate-internal/test-servers';
import { expect, it, onTestFinished } from 'vitest';
import { hashPassword } from '../src/login/password.js';
import { adminShell } from './kit/admin-shell.js';
import { startRoundRobin } from './kit/round-robin.js';
import { shortDocuments, spawnServer, temporaryFolder } from './kit/spawn-server.js';

const program = new URL('../src/bin/searchgate.ts', import.meta.url);
const SLOW_MS = 240_000;
const CALLS = 1_000;
const AT_ONCE = 10;
const secret = 'sg_a_key_of_the_tests_of_two_instances';

interface Page {
  readonly data: readonly { readonly request_id: string; readonly status: number }[];
  readonly next_cursor: string | null;
}

it(`lets two instances behind a balancer share a login and a log, and is rolled during ${CALLS} calls without an error`, {
  timeout: SLOW_MS,
}, async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const ledger = await postgres.createDatabase();
  const file = join(temporaryFolder(), 'searchgate.json');
  const apiKeys = [{ secret, label: 'balanced', organizationId: 'acme', limit: null }];
  const config = { organizations: [{ id: 'acme', credits: '50.00' }], apiKeys };
  writeFileSync(file, JSON.stringify({ ...config, limits: { maxInFlightPerKey: 100 } }));
  const environment = {
    ...shortDocuments(),
    // The default.
    SEARCHGATE_DRAIN_DELAY_MS: '',
    SEARCHGATE_LEDGER: ledger,
    SEARCHGATE_CONFIG: file,
    ADMIN_PASSWORD_HASH: await hashPassword('correct horse'),
  };
  const start = () => spawnServer(program, environment);
  const balancer = await startRoundRobin();
  const [first, second] = await Promise.all([start(), start()]);
  for (const { url } of [first, second]) await balancer.add(url);
  // Longer than a balancer keeps a connection: it must be the one that closes it.
  expect((await fetch(`${second.url}/healthz`)).headers.get('keep-alive')).toBe('timeout=75');

  const login = await fetch(`${balancer.url}/admin/login`, {
    method: 'POST',
    body: new URLSearchParams({ password: 'correct horse' }),
    headers: { 'sec-fetch-site': 'same-origin' },
    redirect: 'manual',
  });
  expect(login.status).toBe(303);
  const cookie = login.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';

  let calls = 0;
  const failures: string[] = [];
  let isRolled = false;
  const ask = async () => {
    const response = await fetch(`${balancer.url}/api/v1/answer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local/docs', query: 'When does the shop open?' }),
    });
    const text = await response.text();
    calls += 1;
    if (response.status !== 200) failures.push(`${response.status}: ${text}`);
  };
  // The last calls, which wait for the third instance, come one by one: a slow start must not fill the log.
  const work = async (worker: number) => {
    while (calls < CALLS || (worker === 0 && (!isRolled || balancer.passed.size < 3))) await ask();
  };
  async function roll(): Promise<void> {
    first.kill('SIGTERM');
    const again = await start();
    await balancer.add(again.url);
    expect(await first.exited).toBe(0);
    isRolled = true;
  }
  // One call for each of the first two, before one of them is told to end.
  await Promise.all([ask(), ask()]);
  await Promise.all([roll(), ...Array.from({ length: AT_ONCE }, (_, worker) => work(worker))]);
  expect(failures).toEqual([]);

  async function logged(): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = new URLSearchParams({ limit: '1000', ...(cursor !== '' && { cursor }) });
      const response = await fetch(`${balancer.url}/admin/api/v1/requests?${query.toString()}`, {
        headers: { cookie },
      });
      expect(response.status).toBe(200);
      const page = (await response.json()) as Page;
      ids.push(...page.data.map(({ request_id: id }) => id));
      cursor = page.next_cursor;
    }
    return ids;
  }
  // Rows are written in batches, soon after their calls.
  await expect.poll(async () => new Set(await logged()).size, { timeout: 10_000 }).toBe(calls);
  const admin = adminShell(ledger);
  expect((await admin('usage', '--json')).json()).toMatchObject([{ charges: calls }]);
  expect((await admin('ledger', 'verify')).code).toBe(0);
});
