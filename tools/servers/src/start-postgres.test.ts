import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  embeddedBinaries,
  installedBinaries,
  type PostgresServer,
  startPostgres,
  throwAwayPostgres,
} from './start-postgres.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** The data folder of a server, from the server itself. */
async function folderOf(url: string): Promise<string> {
  const [row] = await ask(url, 'SHOW data_directory');
  return String(row?.['data_directory']);
}

function stoppedAtEnd(server: PostgresServer): PostgresServer {
  onTestFinished(() => server.stop());
  return server;
}

async function answers(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Each test creates a cluster or two, which takes seconds on a busy machine. */
describe('startPostgres', { timeout: 60_000 }, () => {
  it('starts a temporary server that keeps commits through a crash and a restart', async () => {
    const server = stoppedAtEnd(await startPostgres({ durable: true, ownServer: true }));
    const url = await server.createDatabase();
    expect(await ask(url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    await ask(url, 'CREATE TABLE kept AS SELECT 1 AS n');

    await server.kill();
    expect(await answers(url)).toBe(false);
    await server.start();
    expect(await ask(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);

    await server.restart();
    expect(await ask(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });

  it('leaves neither server nor files after stop', async () => {
    const server = await startPostgres({ ownServer: true });
    const folder = await folderOf(server.url);
    await server.stop();
    expect(await answers(server.url)).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });

  it('starts the server from npm', async () => {
    const server = stoppedAtEnd(await throwAwayPostgres(embeddedBinaries(), false));
    const url = await server.createDatabase();
    expect(await ask(url, 'SHOW fsync')).toEqual([{ fsync: 'off' }]);
    const [row] = await ask(url, 'SHOW server_version');
    expect(row?.['server_version']).toMatch(/^18\./);
  });

  it('prefers the installed server to the server from npm', async () => {
    vi.stubEnv('SEARCHGATE_TEST_POSTGRES_URL', '');
    const server = stoppedAtEnd(await startPostgres());
    const [row] = await ask(server.url, `SELECT current_setting('server_version') AS version`);
    const binaries = installedBinaries() ?? embeddedBinaries();
    const { stdout } = await promisify(execFile)(`${binaries}/postgres`, ['--version']);
    expect(stdout).toContain(String(row?.['version']));
  });

  it('uses the server given by URL, makes databases there, drops them at stop and refuses to end it', async () => {
    const own = stoppedAtEnd(await startPostgres({ ownServer: true }));
    vi.stubEnv('SEARCHGATE_TEST_POSTGRES_URL', own.url);
    const given = await startPostgres();
    expect(given.url).toBe(own.url);
    const name = new URL(await given.createDatabase()).pathname.slice(1);
    const present = `SELECT datname FROM pg_database WHERE datname = '${name}'`;
    expect(await ask(own.url, present)).toEqual([{ datname: name }]);

    await given.stop();
    expect(await ask(own.url, present)).toEqual([]);
    for (const refused of [given.kill(), given.restart(), given.start()]) {
      await expect(refused).rejects.toThrow('SEARCHGATE_TEST_POSTGRES_URL');
    }
  });

  it('leaves neither server nor files behind when the process that started it is killed', async () => {
    const script = `
    const { startPostgres } = await import(${JSON.stringify(new URL('./start-postgres.ts', import.meta.url).href)});
    console.log((await startPostgres({ ownServer: true })).url);
    setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    const folder = await folderOf(url);
    child.kill('SIGKILL');
    await vi.waitUntil(async () => !existsSync(folder) && !(await answers(url)), { timeout: 10_000 });
  });
});
