import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type RedisDurability, startPostgres, startRedis } from '@searchgate-internal/test-servers';
import { LIBSQL_ALONE, LIBSQL_SHARED, libsqlFloor } from './floors/libsql.js';
import { pgbenchFloor } from './floors/pgbench.js';
import { redisBenchmarkFloor } from './floors/redis-benchmark.js';
import { BUSY, type Floor, HOT, type LedgerCase } from './pairs.js';

type EngineId = 'memory' | 'sqlite' | 'postgres' | 'redis' | 'redis-everysec';

export interface Engine {
  readonly id: EngineId;
  readonly name: string;
  /** Starts a server where it takes one. @param name of its file in the folder. @throws Error when it cannot be had. */
  start(scratch: string, name: string): Promise<RunningEngine>;
  readonly references: {
    /** What the engine does with many callers on many organizations. */
    readonly busy?: Reference;
    /** What it does on one row with a commit for each call. */
    readonly singleRow?: Reference;
  };
  readonly grows: boolean;
}

export interface Reference extends LedgerCase {
  readonly contender: string;
}

export interface RunningEngine {
  readonly target: string;
  startFloor(): Promise<Floor | null>;
  stop(): Promise<void>;
}

export const ENGINES: readonly Engine[] = [
  {
    id: 'memory',
    name: 'Memory',
    grows: true,
    references: {},
    start: async () => ({ target: 'memory', startFloor: async () => null, stop: async () => {} }),
  },
  {
    id: 'sqlite',
    name: 'SQLite',
    grows: true,
    references: {
      busy: { contender: LIBSQL_SHARED, ...BUSY },
      // The engine is inside the process, so its callers are one after the other however many they are.
      singleRow: { contender: LIBSQL_ALONE, organizations: 1, callers: 1 },
    },
    start: async (scratch, name) => ({
      target: `sqlite:${path.join(scratch, `${name}.db`)}`,
      startFloor: () => libsqlFloor(path.join(scratch, 'floor.db')),
      stop: async () => {},
    }),
  },
  {
    id: 'postgres',
    name: 'PostgreSQL',
    grows: true,
    references: { busy: { contender: 'pgbench', ...BUSY }, singleRow: { contender: 'pgbench', ...HOT } },
    async start(scratch) {
      const program = findProgram('pgbench');
      const server = await startPostgres({ durable: true, ownServer: true });
      return {
        target: await server.createDatabase(),
        startFloor: async () => pgbenchFloor(program, await server.createDatabase(), scratch),
        stop: () => server.stop(),
      };
    },
  },
  { id: 'redis', name: 'Redis, every write flushed', grows: true, ...redis('always') },
  { id: 'redis-everysec', name: 'Redis, flushed every second', grows: false, ...redis('everysec') },
];

/** It runs one script after the other anyway and shares its flushes by itself, so a single row has no floor of its own. */
function redis(appendfsync: RedisDurability): Pick<Engine, 'references' | 'start'> {
  return {
    references: { busy: { contender: 'redis-benchmark', ...BUSY } },
    async start() {
      const program = findProgram('redis-benchmark');
      const server = await startRedis({ appendfsync, ownServer: true });
      if ('reason' in server) throw new Error(server.reason);
      const { url } = server;
      return { target: url, startFloor: () => redisBenchmarkFloor(program, url), stop: () => server.stop() };
    },
  };
}

/** The path of a tool of PostgreSQL or Redis, the newest. @throws Error where there is none. */
function findProgram(name: string): string {
  // Debian and Ubuntu keep one folder for each major version of PostgreSQL; it is not on the PATH.
  const debian = '/usr/lib/postgresql';
  const versions = (existsSync(debian) ? readdirSync(debian) : []).sort((a, b) => Number(b) - Number(a));
  const folders = versions.map((version) => path.join(debian, version, 'bin'));
  const all = [...folders, ...(process.env['PATH'] ?? '').split(path.delimiter)];
  const found = all.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} is not on this machine`);
  return found;
}
