import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, startRedis } from '@searchgate-internal/test-servers';

export type EngineName = 'sqlite' | 'postgres' | 'redis';
export const ALL_ENGINES: readonly EngineName[] = ['sqlite', 'postgres', 'redis'];
/** Engines with a server and its own clock, for processes on several machines. */
export const SERVER_ENGINES: readonly EngineName[] = ['postgres', 'redis'];

/** A database engine of ledgers. */
export interface Engine {
  readonly name: EngineName;
  /** Creates an empty database for a ledger. @returns its location, see `openLedger`. */
  newLedger(): Promise<string>;
  /** The server, which can be killed and started again; `null` for an engine without a server. */
  readonly server: { kill(): Promise<void>; start(): Promise<void> } | null;
  /** Stops the server and removes its files. */
  stop(): Promise<void>;
}

/** An engine that is unavailable on this machine, with the reason. */
export interface MissingEngine {
  readonly name: EngineName;
  readonly reason: string;
}

const STARTERS: Readonly<Record<EngineName, () => Promise<Engine | MissingEngine>>> = {
  sqlite: startSqlite,
  postgres: startOwnPostgres,
  redis: startOwnRedis,
};

/** Starts engines on loopback, in temporary folders, as separate servers that may be killed. */
export function startEngines(names: readonly EngineName[]): Promise<(Engine | MissingEngine)[]> {
  return Promise.all(names.map((name) => STARTERS[name]()));
}

async function startSqlite(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-crash-'));
  let files = 0;
  return {
    name: 'sqlite',
    newLedger: async () => `sqlite:${join(folder, `${++files}.db`)}`,
    server: null,
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function startOwnPostgres(): Promise<Engine> {
  const server = await startPostgres({ ownServer: true });
  return { name: 'postgres', newLedger: () => server.createDatabase(), server, stop: () => server.stop() };
}

/** Redis keeps acknowledged writes through a kill only if it syncs every command to its file first. */
async function startOwnRedis(): Promise<Engine | MissingEngine> {
  const server = await startRedis({ appendfsync: 'always', ownServer: true });
  if ('reason' in server) return { name: 'redis', reason: server.reason };
  let databases = 0;
  return { name: 'redis', newLedger: async () => `${server.url}/${databases++}`, server, stop: () => server.stop() };
}
