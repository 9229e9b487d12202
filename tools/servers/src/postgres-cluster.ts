import { execFile, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import { type ProcessOwner, unprivilegedUser } from './unprivileged-user.js';

/** Waits for the end of its input, then ends the server of the folder (if one runs) and removes the folder. */
const REAPER = `
cat > /dev/null
pid=$(head -n 1 "$1/$2" 2> /dev/null)
[ -n "$pid" ] && kill -QUIT "$pid" 2> /dev/null
for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null && sleep 0.1 && continue
  break
done
rm -rf "$1"
`;

/**
 * Cleans up after a test process however it ends, even by `kill -9`: a shell in its own process group reads from a pipe that the system closes with
 * this process. Waiting does not keep this process alive.
 *
 * @param folder the server's temporary folder. @param pidFile the file in it whose first line is the server's process id.
 * @returns a function that cleans up now, and resolves when done.
 */
function reapOnExit(folder: string, pidFile: string): () => Promise<void> {
  const reaper = spawn('sh', ['-c', REAPER, 'reaper', folder, pidFile], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => {
    reaper.once('exit', () => resolve());
  });
  reaper.unref();
  (reaper.stdin as unknown as { unref(): void }).unref();
  return async () => {
    reaper.ref();
    reaper.stdin.end();
    await ended;
  };
}

const run = promisify(execFile);
/** Another process may take the port before the server binds it. */
const PORT_ATTEMPTS = 5;
const SECONDS_TO_START_OR_STOP = '60';

/** A PostgreSQL server with one superuser `postgres` and no password, on a fixed port of 127.0.0.1. */
export interface PostgresCluster {
  readonly url: string;
  start(): Promise<void>;
  /** `fast` is an orderly shutdown; `immediate` is like a crash: no checkpoint, clients are cut off. */
  halt(mode: 'fast' | 'immediate'): Promise<void>;
  /** Ends the server and removes its folder. */
  remove(): Promise<void>;
}

/** Creates and starts a cluster. @param binaries folder of `initdb`, `pg_ctl` and `postgres`. @param durable whether commits are flushed to disk. */
export async function startPostgresCluster(binaries: string, durable: boolean): Promise<PostgresCluster> {
  const owner = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-postgres-'));
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const remove = reapOnExit(folder, 'data/postmaster.pid');
  const log = join(folder, 'log');

  const call = async (program: string, ...args: string[]) => {
    try {
      await run(join(binaries, program), ['-D', join(folder, 'data'), ...args], processOptions(owner, folder));
    } catch (cause) {
      throw new Error(`${program} failed: ${readLog(log)}`, { cause });
    }
  };
  const startAt = (port: number) =>
    call('pg_ctl', 'start', '-w', '-t', SECONDS_TO_START_OR_STOP, '-l', log, '-o', serverFlags(port, durable));

  try {
    await call('initdb', '--no-sync', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C');
    const port = await startAtFreePort(startAt);
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      start: () => startAt(port),
      halt: (mode) => call('pg_ctl', 'stop', '-w', '-t', SECONDS_TO_START_OR_STOP, '-m', mode),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function startAtFreePort(startAt: (port: number) => Promise<void>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      await startAt(port);
      return port;
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function serverFlags(port: number, durable: boolean): string {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    max_connections: '200',
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(' ');
}

/** Hides the caller's PostgreSQL settings (PGDATA, PGHOST, …) and language from the tools. */
function processOptions(owner: ProcessOwner, cwd: string) {
  return { ...owner, cwd, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' } };
}

function readLog(path: string): string {
  try {
    return readFileSync(path, 'utf8').slice(-2_000);
  } catch {
    return 'it wrote no log';
  }
}
