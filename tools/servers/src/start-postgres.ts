import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { embeddedBinaries, installedBinaries } from './postgres-binaries.js';
import { startPostgresCluster } from './postgres-cluster.js';

export interface StartPostgresOptions {
  /** Whether a commit is flushed to the disk before it is acknowledged. Off by default, which is quicker. A server given by URL keeps its own settings. */
  readonly durable?: boolean;
  /** A throw-away server even where one is given by URL: for tests that kill it. */
  readonly ownServer?: boolean;
}

/** A PostgreSQL server for tests, on loopback unless one elsewhere is given by URL. */
export interface PostgresServer {
  /** Of a superuser's connection; stays the same for life. */
  readonly url: string;
  /** An orderly shutdown and a start. */
  restart(): Promise<void>;
  /** Ends the server as a crash would: clients are cut off and nothing is flushed. `start` brings it back. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and removes its files; of a server given by URL only the databases made here. */
  stop(): Promise<void>;
  /** @returns the URL of a fresh, empty database. */
  createDatabase(): Promise<string>;
}

const URL_VARIABLE = 'SEARCHGATE_TEST_POSTGRES_URL';

/**
 * Starts a server: the one `SEARCHGATE_TEST_POSTGRES_URL` names, else a throw-away one of the PostgreSQL installed on this machine, else one
 * of the PostgreSQL that npm brings. A throw-away server and its files are gone when the process ends, however it ends.
 */
export async function startPostgres({
  durable = false,
  ownServer = false,
}: StartPostgresOptions = {}): Promise<PostgresServer> {
  const url = process.env[URL_VARIABLE];
  if (url !== undefined && url !== '' && !ownServer) return givenPostgres(url);
  return throwAwayPostgres(installedBinaries() ?? embeddedBinaries(), durable);
}

/** A server of our own. @param binaries folder of `initdb`, `pg_ctl` and `postgres`. */
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
