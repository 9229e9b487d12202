import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashPassword } from '../src/login/password.js';
import { adminShell } from './kit/admin-shell.js';
import { type SpawnedServer, shortDocuments, spawnServer, temporaryFolder } from './kit/spawn-server.js';
import { SLOW_MS } from './kit/standalone-suite.js';

const program = new URL('../src/bin/searchgate.ts', import.meta.url);
const ROLES = ['viewer', 'reader', 'tenant', 'operator'] as const;
const PASSWORD = 'correct horse battery';
const ORGANIZATIONS = [{ id: 'acme', credits: '5.00' }];

/** Two servers of one file and one ledger, and commands on the file. */
async function start() {
  const folder = temporaryFolder();
  const file = join(folder, 'searchgate.json');
  writeFileSync(file, JSON.stringify({ organizations: ORGANIZATIONS }));
  const ledger = `sqlite:${join(folder, 'searchgate.db')}`;
  const environment = { ...shortDocuments(), SEARCHGATE_CONFIG: file, SEARCHGATE_LEDGER: ledger };
  const first = await spawnServer(program, environment, folder);
  const second = await spawnServer(program, environment, folder);

  async function call(server: SpawnedServer, path: string, cookie: string, json?: object) {
    const init = json && { method: 'POST', body: JSON.stringify(json) };
    const headers = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const response = await fetch(`${server.url}/admin/api/v1/${path}`, { ...init, headers });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) };
  }

  return {
    file,
    first,
    second,
    call,
    operators: (...argv: string[]) => adminShell(ledger, { SEARCHGATE_CONFIG: file })('operators', ...argv),
    /** @returns the cookie; empty for a refusal. */
    async logIn(password: string, name = '') {
      const init = { method: 'POST', body: new URLSearchParams({ name, password }), redirect: 'manual' } as const;
      const response = await fetch(`${first.url}/admin/login`, init);
      return response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    },
  };
}

it(
  'lets accounts in by their roles, and out of every server when they are changed',
  async () => {
    const { file, first, second, call, operators, logIn } = await start();
    const made = /password \(shown once\): ([\w-]+)/.exec(first.stdout())?.[1] ?? '';
    const old = await logIn(made);
    const sessionOf = async (cookie: string) => (await call(second, 'session', cookie)).body;
    expect(await sessionOf(old)).toMatchObject({ role: 'operator', organizations: 'all', actor: 'page' });

    const passwordHash = await hashPassword(PASSWORD);
    const given = ROLES.map((role) => ({ name: `a-${role}`, passwordHash, role, organizations: ['acme'] }));
    writeFileSync(file, JSON.stringify({ organizations: ORGANIZATIONS, operators: given }));
    // The password made for all ends with the first account.
    for (const server of [first, second])
      await expect.poll(async () => (await call(server, 'session', old)).status, { timeout: SLOW_MS }).toBe(404);
    expect(await logIn(made)).toBe('');

    const cookies: Record<string, string> = {};
    for (const role of ROLES) {
      const cookie = await logIn(PASSWORD, `a-${role}`);
      cookies[role] = cookie;
      expect(await sessionOf(cookie)).toMatchObject({ role, organizations: ['acme'], actor: `page:a-${role}` });
      const key = { organization_id: 'acme', label: role };
      expect((await call(second, 'keys', cookie, key)).status).toBe(role === 'operator' ? 200 : 403);
    }
    const changes = (await call(second, 'changes', cookies['operator'] ?? '')).body?.['data'];
    expect(changes).toMatchObject([{ actor: 'page:a-operator', action: 'key.create' }]);

    await operators('remove', 'a-operator');
    await operators('password', 'a-tenant');
    // A mistake elsewhere in the file keeps nobody in.
    writeFileSync(file, readFileSync(file, 'utf8').replace('"5.00"', '"five"').replace('"reader"', '"viewer"'));
    for (const role of ['operator', 'tenant', 'reader'])
      for (const server of [first, second])
        await expect
          .poll(async () => (await call(server, 'session', cookies[role] ?? '')).status, { timeout: SLOW_MS })
          .toBe(404);
    expect(await sessionOf(cookies['viewer'] ?? '')).toMatchObject({ role: 'viewer' });

    // What is half written changes nothing.
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -20));
    await expect.poll(() => first.stderr(), { timeout: SLOW_MS }).toContain('the previous ones stay in use');
    expect(await sessionOf(cookies['viewer'] ?? '')).toMatchObject({ role: 'viewer' });
    const hashes = /scrypt:[\w:-]+|correct horse/;
    for (const server of [first, second]) expect(server.stdout() + server.stderr()).not.toMatch(hashes);
  },
  4 * SLOW_MS,
);
