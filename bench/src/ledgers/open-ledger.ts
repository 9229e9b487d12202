import type { Ledger } from '@searchgate/core';
import type { DurableLedger } from '@searchgate/core/ledger';
import { fillableMemory } from '../growth/fill-memory.js';
import type { FillSize } from '../growth/fill-size.js';

/** A ledger over a connection of its own, and that connection by itself. */
export interface OpenedLedger {
  readonly ledger: Ledger & Partial<Pick<DurableLedger, 'migrate' | 'audit'>>;
  /** What the engine says of itself: its version, and the settings that durability depends on. */
  readonly description: string;
  /** Round trips of the engine: one that keeps a small row as durably as the ledger's, one that asks for nothing. */
  readonly trips: Readonly<Partial<Record<'that keeps one row' | 'that does nothing', () => Promise<unknown>>>>;
  /**
   * Writes a log, and the counters and sums that follow from it, into an empty ledger that has been migrated. What does it is loaded only then: it needs names
   * that another checkout (`--against`) may not have.
   */
  fill(size: FillSize): Promise<void>;
  /** What the ledger takes up now: of disk or of memory. */
  storedBytes(): Promise<number>;
}

/** @param target `memory`, `sqlite:<file>`, or the URL of a server. */
export function openLedger(target: string): Promise<OpenedLedger> {
  if (target === 'memory') return openMemory();
  if (target.startsWith('sqlite:')) return openSqlite(target.slice('sqlite:'.length));
  return target.startsWith('redis') ? openRedis(target) : openPostgres(target);
}

async function openMemory(): Promise<OpenedLedger> {
  return {
    ...fillableMemory(),
    description: 'It keeps nothing beyond the process.',
    trips: {},
    async storedBytes() {
      globalThis.gc?.();
      return process.memoryUsage().heapUsed;
    },
  };
}

async function openSqlite(file: string): Promise<OpenedLedger> {
  const { default: Database } = await import('libsql');
  const { sqliteLedger } = await import('@searchgate/ledger-sqlite');
  const database = new Database(file);
  database.exec('CREATE TABLE IF NOT EXISTS bench_rows (n INTEGER)');
  const row = database.prepare('INSERT INTO bench_rows VALUES (1)');
  const read = (sql: string) => Object.values(database.prepare(sql).get() as object)[0] as number | string;
  const settings = ['journal_mode', 'synchronous'].map((name) => `${name} ${read(`PRAGMA ${name}`)}`);
  return {
    ledger: sqliteLedger({ database }),
    fill: async (size) => (await import('../growth/fill-sqlite.js')).fillSqlite(database, size),
    description: `Version ${read('SELECT sqlite_version()')}; ${settings.join(', ')}.`,
    trips: { 'that keeps one row': async () => row.run() },
    async storedBytes() {
      // Until then the file does not have what is in its write-ahead log.
      database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return Number(read('PRAGMA page_count')) * Number(read('PRAGMA page_size'));
    },
  };
}

async function openPostgres(url: string): Promise<OpenedLedger> {
  const { Pool } = await import('pg');
  const { postgresLedger } = await import('@searchgate/ledger-postgres');
  const pool = new Pool({ connectionString: url }).on('error', () => {});
  const read = async (sql: string) =>
    Object.values((await pool.query<Record<string, string>>(sql)).rows[0] ?? {})[0] ?? '';
  await pool.query('CREATE TABLE IF NOT EXISTS bench_rows (n int8)');
  const settings: string[] = [];
  for (const name of ['fsync', 'synchronous_commit', 'wal_sync_method', 'full_page_writes']) {
    settings.push(`${name} ${await read(`SHOW ${name}`)}`);
  }
  return {
    ledger: postgresLedger({ pool }),
    fill: async (size) => (await import('../growth/fill-postgres.js')).fillPostgres(pool, size),
    description: `Version ${await read('SHOW server_version')}; ${settings.join(', ')}.`,
    trips: {
      'that keeps one row': () => pool.query({ name: 'bench_keep', text: 'INSERT INTO bench_rows VALUES (1)' }),
      'that does nothing': () => pool.query({ name: 'bench_ask', text: 'SELECT 1' }),
    },
    storedBytes: async () => Number(await read('SELECT pg_database_size(current_database())')),
  };
}

async function openRedis(url: string): Promise<OpenedLedger> {
  const { Redis } = await import('ioredis');
  const { redisLedger } = await import('@searchgate/ledger-redis');
  const client = new Redis(url);
  const [, version = 'unknown'] = /redis_version:(\S+)/.exec(await client.info('server')) ?? [];
  const settings: string[] = [];
  for (const name of ['appendonly', 'appendfsync'])
    settings.push(String(await client.config('GET', name)).replace(',', ' '));
  return {
    ledger: redisLedger({ client }),
    fill: async (size) => (await import('../growth/fill-redis.js')).fillRedis(client, size),
    description: `Version ${version}; ${settings.join(', ')}.`,
    trips: { 'that keeps one row': () => client.set('bench-row', '1'), 'that does nothing': () => client.ping() },
    storedBytes: async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]),
  };
}
