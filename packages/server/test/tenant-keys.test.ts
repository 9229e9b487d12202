import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startPostgres } from '@searchgate-internal/test-servers';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { adminShell } from './kit/admin-shell.js';
import { shortDocuments, spawnServer, temporaryFolder } from './kit/spawn-server.js';
import { SLOW_MS } from './kit/standalone-suite.js';

const program = new URL('../src/bin/searchgate.ts', import.meta.url);
const REPLY = readFileSync(new URL('../../core/src/providers/exa/fixtures/answer.json', import.meta.url));
const made = () => randomBytes(24).toString('hex');
const [OWN, OPERATOR, SECRET] = [made(), made(), randomBytes(32).toString('base64')];
const API_KEY = 'sg_a_key_of_the_tests_of_vendor_keys';

/** A vendor that notes the keys it is sent, and repeats each in an error once it is to refuse. */
async function startVendor() {
  const keys: unknown[] = [];
  const state = { refuses: false };
  const server = createServer((request, response) => {
    const key = request.headers['x-api-key'];
    keys.push(key);
    request.resume();
    response.writeHead(state.refuses ? 401 : 200, { 'content-type': 'application/json' });
    response.end(state.refuses ? JSON.stringify({ error: `the key ${String(key)} is revoked` }) : REPLY);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { keys, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** All that a PostgreSQL database stores, as text. */
async function rowsOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  let text = '';
  for (const { name } of tables.rows)
    text += JSON.stringify((await client.query(`SELECT t::text FROM ${name} t`)).rows);
  await client.end();
  return text;
}

function expectHidden(text: string): void {
  for (const secret of [OWN, OPERATOR, SECRET])
    for (const form of ['latin1', 'hex', 'base64'] as const)
      expect(text.includes(Buffer.from(secret).toString(form).slice(0, 16))).toBe(false);
}

const filesOf = (folder: string) =>
  readdirSync(folder).flatMap((name) => (/\.db/.test(name) ? [readFileSync(join(folder, name), 'latin1')] : []));

it.each(['SQLite', 'PostgreSQL'])(
  'calls a vendor with the key of an organization; %s, logs and backups never have it, also after a kill',
  async (engine) => {
    const folder = temporaryFolder();
    let ledger = `sqlite:${join(folder, 'money.db')}`;
    if (engine === 'PostgreSQL') {
      const server = await startPostgres();
      onTestFinished(() => server.stop());
      ledger = await server.createDatabase();
    }
    const stored = async () => (engine === 'SQLite' ? filesOf(folder).join('') : rowsOf(ledger));
    const vendor = await startVendor();
    const file = join(folder, 'searchgate.json');
    const organizations = [{ id: 'acme', credits: '1.00' }];
    const apiKeys = [{ secret: API_KEY, label: 'key', organizationId: 'acme', limit: null }];
    const providers = { exa: { apiKey: OPERATOR, baseUrl: vendor.url } };
    writeFileSync(file, JSON.stringify({ organizations, apiKeys, providers, byok: { fee: { share: '0.05' } } }));
    const secret = { SEARCHGATE_TENANT_KEYS_SECRET: SECRET };
    const where = { ...shortDocuments(), SEARCHGATE_CONFIG: file, SEARCHGATE_LEDGER: ledger };
    const ask = async ({ url }: { readonly url: string }) => {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ model: 'exa/answer', query: 'When did it open?' });
      const response = await fetch(`${url}/api/v1/answer`, { method: 'POST', headers, body });
      return { status: response.status, text: await response.text() };
    };

    const withoutSecret = { ...where, SEARCHGATE_CONFIG: join(folder, 'without.json') };
    writeFileSync(withoutSecret.SEARCHGATE_CONFIG, JSON.stringify({ organizations, apiKeys, providers }));
    const earlier = await spawnServer(program, withoutSecret);
    const server = await spawnServer(program, { ...where, ...secret });
    const admin = adminShell(ledger, secret, `${OWN}\n`);
    expect((await admin('tenant-keys', 'set', '--org', 'acme', '--provider', 'exa')).stderr).toBe('');
    // A process that began before there were keys.
    expect(await ask(earlier)).toMatchObject({
      status: 503,
      text: expect.stringContaining('provider_key_unavailable'),
    });
    earlier.kill('SIGKILL');
    const answered = await ask(server);
    expect(JSON.parse(answered.text)).toMatchObject({ usage: { cost: 0.00025, byok: true } });
    vendor.state.refuses = true;
    const refused = await ask(server);
    expect([refused.status, vendor.keys]).toEqual([502, [OWN, OWN]]);
    const { code } = await admin('ledger', 'backup', '--to', join(folder, 'backup.db'));
    expect(code).toBe(engine === 'SQLite' ? 0 : 1);
    server.kill('SIGKILL');
    await server.exited;
    const [, charge] = (await admin('entries', 'export', '--json')).stdout.split('\n');
    expect(JSON.parse(charge ?? '')).toMatchObject({ amount: '0.00025', upstreamCost: '0', tenantCost: '0.005' });
    expect(await stored()).toContain(OWN.slice(-4));
    const changes = await admin('changes', '--json');
    expect(changes.stdout).toContain('tenant_key.set');
    for (const text of [await stored(), server.stdout(), server.stderr(), refused.text, changes.stdout])
      expectHidden(text);

    const without = await spawnServer(program, where);
    expect([await without.exited, without.stderr()]).toEqual([
      1,
      expect.stringContaining('byok: found a value, expected nothing without SEARCHGATE_TENANT_KEYS_SECRET'),
    ]);
    writeFileSync(file, JSON.stringify({ organizations, apiKeys, providers }));
    const billed = await spawnServer(program, where);
    expect([await billed.exited, billed.stderr()]).toEqual([
      1,
      expect.stringContaining("SEARCHGATE_TENANT_KEYS_SECRET: found nothing, expected the secret of the ledger's"),
    ]);
    vendor.state.refuses = false;
    const again = await spawnServer(program, { ...where, ...secret });
    expect(JSON.parse((await ask(again)).text)).toMatchObject({ usage: { cost: 0, byok: true } });
    expect(vendor.keys).toEqual([OWN, OWN, OWN]);
  },
  2 * SLOW_MS,
);
