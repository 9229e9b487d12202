import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, startRedis } from '@searchgate-internal/test-servers';
import { Redis } from 'ioredis';
import pg from 'pg';

/** The engine of a ledger, which can be made to fail. */
export interface StagedEngine {
  /** As `SEARCHGATE_LEDGER`. */
  readonly url: string;
  fail?(): Promise<void>;
  recover?(): Promise<void>;
  remove(): Promise<void>;
}

const DISK = '16m';

export async function sqlite(): Promise<StagedEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-sqlite-'));
  return {
    url: `sqlite:${join(folder, 'ledger.db')}`,
    remove: async () => rmSync(folder, { recursive: true }),
  };
}

/** SQLite on a file system of its own, which fills up. Needs the right to mount. */
export async function sqliteOnSmallDisk(): Promise<StagedEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-disk-'));
  const filler = join(folder, 'filler');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder]);
  const unmount = () => execFileSync('umount', ['--lazy', folder]);
  process.once('exit', unmount);
  return {
    url: `sqlite:${join(folder, 'ledger.db')}`,
    async fail() {
      for (const bytes of [1 << 20, 4_096]) fill(filler, Buffer.alloc(bytes));
    },
    recover: async () => rmSync(filler),
    async remove() {
      process.off('exit', unmount);
      unmount();
      rmdirSync(folder);
    },
  };
}

function fill(file: string, part: Buffer): void {
  try {
    for (;;) writeFileSync(file, part, { flag: 'a' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

export async function postgres(): Promise<StagedEngine> {
  const server = await startPostgres({ ownServer: true });
  return { url: await server.createDatabase(), remove: () => server.stop() };
}

export async function killedPostgres(): Promise<StagedEngine> {
  const server = await startPostgres({ ownServer: true });
  return {
    url: await server.createDatabase(),
    fail: () => server.kill(),
    recover: () => server.start(),
    remove: () => server.stop(),
  };
}

/** As after a failover to a replica: every transaction is read-only. */
export async function readOnlyPostgres(): Promise<StagedEngine> {
  const { url, remove } = await postgres();
  const set = async (value: 'on' | 'off') => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('SET default_transaction_read_only = off');
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await client.query('SELECT pg_reload_conf()');
    await client.end();
  };
  return { url, fail: () => set('on'), recover: () => set('off'), remove };
}

/** Redis that wants a replica for every write, and has none. */
export async function readOnlyRedis(): Promise<StagedEngine> {
  const server = await startRedis({ appendfsync: 'always', ownServer: true });
  if ('reason' in server) throw new Error(server.reason);
  const want = async (replicas: number) => {
    const client = new Redis(server.url);
    await client.config('SET', 'min-replicas-to-write', replicas);
    client.disconnect();
  };
  return { url: server.url, fail: () => want(1), recover: () => want(0), remove: () => server.stop() };
}
