import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type SpawnedServer, shortDocuments, spawnServer, temporaryFolder } from '../test/kit/spawn-server.js';
import { SLOW_MS } from '../test/kit/standalone-suite.js';
import { createService } from './service.js';

const program = new URL('../test/kit/extended-program.ts', import.meta.url);

const passwordIn = (server: SpawnedServer) => /password \(shown once\): ([\w-]+)/.exec(server.stdout())?.[1];

/** Submits the login form. @returns the cookie. */
async function logIn(
  { url }: SpawnedServer,
  password: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; cookie: string }> {
  const body = new URLSearchParams({ password });
  const response = await fetch(`${url}/admin/login`, { method: 'POST', body, headers, redirect: 'manual' });
  return { status: response.status, cookie: response.headers.get('set-cookie')?.split(';', 1)[0] ?? '' };
}

const look = ({ url }: SpawnedServer, path: string, cookie = '') =>
  fetch(url + path, { headers: { cookie }, redirect: 'manual' });

describe('the page for operators', { timeout: 2 * SLOW_MS }, () => {
  it('is behind a password that is shown once and kept as a hash', async () => {
    const folder = temporaryFolder();
    const first = await spawnServer(program, shortDocuments(), folder);
    const password = passwordIn(first) ?? '';
    expect(first.stdout()).toContain(`Page for operators: ${first.url}/admin, password`);
    const file = join(folder, 'data', 'admin-password');
    expect(readFileSync(file, 'utf8')).toMatch(/^sha256:/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(first.stderr()).not.toContain(password);

    const toLogin = await Promise.all(['/admin', '/admin/'].map((path) => look(first, path)));
    expect(toLogin.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [303, './admin/login'],
      [303, './login'],
    ]);
    expect((await look(first, '/admin/assets/app.js')).status).toBe(404);
    expect((await logIn(first, 'hunter2')).status).toBe(401);
    const { status, cookie } = await logIn(first, password);
    expect(status).toBe(303);
    const page = await look(first, '/admin/keys', cookie);
    expect(await page.json()).toEqual({ path: '/keys', organizations: ['demo'], inFlight: 0 });
    expect((await look(first, '/administration', cookie)).status).toBe(404);
    first.kill('SIGTERM');
    expect(await first.exited).toBe(0);

    const second = await spawnServer(program, shortDocuments(), folder);
    expect(second.stdout()).toContain(`Page for operators: ${second.url}/admin\n`);
    // A restart ends no session; a new password does.
    expect((await look(second, '/admin/keys', cookie)).status).toBe(200);
    second.kill('SIGTERM');
    expect(await second.exited).toBe(0);
    rmSync(file);
    const third = await spawnServer(program, shortDocuments(), folder);
    expect((await look(third, '/admin/keys', cookie)).status).toBe(404);
    expect((await logIn(third, password)).status).toBe(401);
    expect((await logIn(third, passwordIn(third) ?? '')).status).toBe(303);
  });

  it('takes the password of ADMIN_PASSWORD_HASH', async () => {
    const { hashPassword } = await import('./login/password.js');
    const server = await spawnServer(program, {
      ...shortDocuments(),
      ADMIN_PASSWORD_HASH: await hashPassword('correct horse'),
      SEARCHGATE_LOG_LEVEL: 'warn',
    });
    expect(server.stderr()).not.toContain('does not exist');
    expect(passwordIn(server)).toBeUndefined();
    expect((await logIn(server, 'correct horse')).status).toBe(303);
  });

  it('lets the operator log in despite strangers who each try ten passwords a minute', async () => {
    const server = await spawnServer(program, { ...shortDocuments(), SEARCHGATE_TRUST_PROXY: '1' });
    const tryFrom = (address: string, password: string) => logIn(server, password, { 'x-forwarded-for': address });
    const tries = Array.from({ length: 200 }, (_, index) => tryFrom(`203.0.113.${index % 10}`, 'guess'));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(100);
    expect((await tryFrom('192.0.2.1', passwordIn(server) ?? '')).status).toBe(303);
  });

  it('warns if the organization that pays for operator questions does not exist', async () => {
    const payer = { SEARCHGATE_ADMIN_ORGANIZATION: 'acmee', SEARCHGATE_LOG_LEVEL: 'warn' };
    const server = await spawnServer(program, { ...shortDocuments(), ...payer });
    expect(server.stderr()).toContain('"organizationId":"acmee"');
    expect(server.stderr()).toContain('the organization that pays for operator questions does not exist');
  });

  it('does not exist, and takes no password, in a server without a page', async () => {
    const memory = { SEARCHGATE_LEDGER: 'memory', SEARCHGATE_LOG_LEVEL: 'silent' };
    const hash = `scrypt:${'a'.repeat(22)}:${'b'.repeat(43)}`;
    await expect(createService({ ...memory, ADMIN_PASSWORD_HASH: hash })).rejects.toThrow(
      'ADMIN_PASSWORD_HASH: found a value, expected nothing: this server has no page for operators.',
    );
    await expect(createService({ ...memory, SEARCHGATE_ADMIN_ORGANIZATION: 'acme' })).rejects.toThrow(
      'SEARCHGATE_ADMIN_ORGANIZATION: found "acme", expected nothing: this server has no page for operators.',
    );
    await expect(createService({ ...memory, METRICS_PORT: '9464' })).rejects.toThrow(
      'METRICS_PORT: found 9464, expected nothing: this server has no metrics.',
    );
  });
});

describe('METRICS_PORT', { timeout: 2 * SLOW_MS }, () => {
  it('serves metrics, but not the gateway, on a separate port', async () => {
    const server = await spawnServer(program, { ...shortDocuments(), METRICS_PORT: '0' });
    const port = /"port":(\d+),"msg":"metrics are served"/.exec(server.stderr())?.[1];
    await look(server, '/api/v1/key');
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${port}/`)).text(), { timeout: SLOW_MS })
      .toBe('requests 1\n');
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);

    const taken = await spawnServer(program, {
      ...shortDocuments(),
      METRICS_PORT: new URL((await spawnServer(program, shortDocuments())).url).port,
    });
    expect(await taken.exited).toBe(1);
    expect(taken.stderr()).toMatch(/METRICS_PORT: found \d+ \(listen EADDRINUSE.*\), expected a port that is free\./);

    const elsewhere = await spawnServer(program, { ...shortDocuments(), METRICS_PORT: '0', HOST: '192.0.2.1' });
    expect(await elsewhere.exited).toBe(1);
    expect(elsewhere.stderr()).toContain('HOST: 192.0.2.1 is not a local address.');
  });
});

describe('NODE_TLS_REJECT_UNAUTHORIZED', { timeout: 2 * SLOW_MS }, () => {
  it('is reported with a warning', async () => {
    const server = await spawnServer(program, { ...shortDocuments(), NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(server.stderr()).toContain('NODE_TLS_REJECT_UNAUTHORIZED is 0: connections to databases');
  });
});
