import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram } from '../src/bin/run-program.js';
import { adminShell } from './kit/admin-shell.js';
import { shortDocuments, spawnServer, temporaryFolder } from './kit/spawn-server.js';
import { SLOW_MS } from './kit/standalone-suite.js';

/** Of several routes: each part is compared with what it has to be. */
interface Body {
  readonly data: unknown;
  readonly secret: string;
}

const program = new URL('../src/bin/searchgate.ts', import.meta.url);

/** What `searchgate management-token` prints. */
async function makeToken(): Promise<{ token: string; entry: object }> {
  let printed = '';
  const output = { write: (text: string) => (printed += text) };
  expect(
    await runProgram(['management-token'], {}, { stdin: (async function* () {})(), stdout: output, stderr: output }),
  ).toBe(0);
  const lines = printed.trim().split('\n');
  return { token: lines[0] ?? '', entry: JSON.parse(lines.at(-1) ?? '') as object };
}

it(
  'lets scripts administer by management tokens of the file, each within its role and organizations',
  async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'searchgate.json');
    const [ci, portal, support] = await Promise.all([makeToken(), makeToken(), makeToken()]);
    const organizations = [
      { id: 'acme', credits: '10.00' },
      { id: 'globex', credits: null },
    ];
    const ofCi = { ...ci.entry, name: 'ci' };
    const ofPortal = { ...portal.entry, name: 'portal', role: 'viewer', organizations: ['acme'] };
    const ofSupport = { ...ofPortal, ...support.entry, name: 'support', role: 'reader' };
    const requestLog = { capture: { organizations: ['acme'] } };
    const write = (limit: string, managementTokens: readonly object[]) => {
      const budgets = [{ organizationId: 'acme', id: 'team:research', limit }];
      writeFileSync(file, JSON.stringify({ organizations, budgets, managementTokens, requestLog }));
    };
    write('5.00', [
      ofCi,
      ofPortal,
      ofSupport,
      { ...ofCi, name: 'old', tokenHash: '0'.repeat(64), expiresAt: '2025-01-01T00:00:00Z' },
    ]);
    const ledger = `sqlite:${join(folder, 'searchgate.db')}`;
    const server = await spawnServer(
      program,
      { ...shortDocuments(), SEARCHGATE_CONFIG: file, SEARCHGATE_LEDGER: ledger },
      folder,
    );
    async function call(token: string, path: string, body?: object, method = 'POST') {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const init = body === undefined ? { headers } : { headers, method, body: JSON.stringify(body) };
      const response = await fetch(`${server.url}/admin/api/v1/${path}`, init);
      return { status: response.status, json: (await response.json()) as Body };
    }

    expect(await call('sgm_unknown', 'session')).toMatchObject({ status: 401, json: { error: { field: null } } });
    expect((await call(portal.token, 'session')).json).toMatchObject({ role: 'viewer', organizations: ['acme'] });
    for (const [token, can, status] of [
      [portal.token, false, 403],
      [support.token, true, 404],
      [ci.token, true, 404],
    ] as const) {
      expect((await call(token, 'session')).json).toMatchObject({ can_read_texts: can });
      expect((await call(token, 'requests/req_1/text')).status).toBe(status);
    }
    expect((await call(support.token, 'keys', { organization_id: 'acme', label: 'mine' })).status).toBe(403);
    const seen = await call(portal.token, 'organizations');
    expect(seen.json.data).toMatchObject([{ id: 'acme', balance: '10', operator_pays: false }]);
    expect((await call(ci.token, 'organizations/globex')).json).toMatchObject({ operator_pays: true });
    expect((await call(portal.token, 'organizations/globex')).status).toBe(404);
    expect((await call(portal.token, 'keys', { organization_id: 'acme', label: 'mine' })).status).toBe(403);

    const created = await call(ci.token, 'keys', { organization_id: 'acme', label: 'made by a script', limit: '5.00' });
    const asked = await fetch(`${server.url}/api/v1/key`, {
      headers: { authorization: `Bearer ${created.json.secret}` },
    });
    expect(await asked.json()).toMatchObject({ label: 'made by a script', limit: 5 });
    await call(ci.token, 'organizations/acme/grant', { amount: '2.50', grant_id: 'invoice-7' });
    const changes = await call(portal.token, 'changes');
    expect(changes.json.data).toMatchObject([
      { actor: 'token:ci', action: 'grant', outcome: 'made', before: { credits: '10' }, after: { credits: '12.5' } },
      { actor: 'token:ci', action: 'key.create', after: { label: 'made by a script', limit: '5' } },
    ]);

    const team = 'organizations/acme/budgets/team%3Aresearch';
    expect((await call(portal.token, team)).json).toMatchObject({ id: 'team:research', limit: '5' });
    expect((await call(portal.token, team, { limit: '9' }, 'PUT')).status).toBe(403);
    const ada = 'organizations/acme/budgets/user%3Aada';
    expect((await call(ci.token, ada, { limit: '9' }, 'PUT')).json).toMatchObject({ id: 'user:ada', limit: '9' });
    const headers = { authorization: `Bearer ${ci.token}` };
    const deleted = await fetch(`${server.url}/admin/api/v1/${ada}`, { method: 'DELETE', headers });
    expect([deleted.status, await deleted.json()]).toMatchObject([200, { id: 'user:ada' }]);
    expect((await call(portal.token, ada)).status).toBe(404);

    const shell = adminShell(ledger);
    const printed = await shell('changes', '--org', 'acme', '--actor', 'token:ci');
    expect(printed.stdout).toMatch(/token:ci {2}grant +made +acme/);
    expect((await shell('erase', '--org', 'acme')).stdout).toMatch(
      /^0 replies, 0 calls, 3 changes and 0 vendor keys of acme were removed/,
    );

    write('7.00', [ofPortal]);
    server.kill('SIGHUP');
    await expect.poll(async () => (await call(ci.token, 'session')).status, { timeout: SLOW_MS }).toBe(401);
    expect((await call(portal.token, team)).json).toMatchObject({ limit: '7' });
  },
  SLOW_MS,
);
