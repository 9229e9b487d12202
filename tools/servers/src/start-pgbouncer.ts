import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithUs } from './end-with-us.js';
import { freePort } from './free-port.js';
import { unprivilegedUser } from './unprivileged-user.js';

export interface StartPgbouncerOptions {
  /** URL of the PostgreSQL server; every database of the server is available under its own name. */
  readonly serverUrl: string;
  /** Where to look for the program. Default: the PATH, and the folders of administrators' programs. */
  readonly folders?: readonly string[];
}

/** A temporary PgBouncer in transaction mode: each transaction may run on another server connection. */
export interface Pgbouncer {
  /** The address of a database through PgBouncer. @param url the address of the same database at the server. */
  through(url: string): string;
  stop(): Promise<void>;
}

/** Why there is no PgBouncer; the reason for skipping tests. */
export interface PgbouncerUnavailable {
  readonly reason: string;
}

/** Debian installs it outside of a normal user's PATH. */
const ADMIN_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];
const PORT_ATTEMPTS = 5;
/** Two server connections per database, so that clients constantly share and switch them. */
const SERVER_CONNECTIONS = 2;

/**
 * Starts the PgBouncer installed on this machine, on a free port of 127.0.0.1. It ends with this process. Without PgBouncer the reason is
 * returned.
 */
export async function startPgbouncer(options: StartPgbouncerOptions): Promise<Pgbouncer | PgbouncerUnavailable> {
  const binary = findBinary(options.folders ?? [...(process.env['PATH'] ?? '').split(delimiter), ...ADMIN_FOLDERS]);
  if (binary !== undefined) return launchOnFreePort(binary, options);
  return { reason: 'no PgBouncer: there is no pgbouncer on this machine (Debian: apt-get install pgbouncer)' };
}

function findBinary(folders: readonly string[]): string | undefined {
  return folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path));
}

async function launchOnFreePort(binary: string, options: StartPgbouncerOptions): Promise<Pgbouncer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(binary, options, await freePort());
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function launch(binary: string, { serverUrl }: StartPgbouncerOptions, port: number): Promise<Pgbouncer> {
  const owner = unprivilegedUser();
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-pgbouncer-'));
  const config = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  writeFileSync(config, settings({ serverUrl, port, users }) + namesOff(binary));
  writeFileSync(users, `"${decodeURIComponent(new URL(serverUrl).username)}" ""\n`);
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const child = spawn(binary, [config], { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const ended = once(child, 'exit');
  const dismiss = child.pid === undefined ? () => {} : endWithUs(child.pid, folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await ready(child);
  } catch (error) {
    dismiss();
    child.kill('SIGKILL');
    remove();
    throw error;
  }
  child.unref();
  return {
    through: (url) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    async stop() {
      dismiss();
      child.ref();
      child.kill('SIGKILL');
      await ended;
      remove();
    },
  };
}

/** https://www.pgbouncer.org/config.html (2026-11-22). `trust` needs no password, but the name of every user. */
function settings({ serverUrl, port, users }: { serverUrl: string; port: number; users: string }): string {
  const server = new URL(serverUrl);
  const password = server.password === '' ? '' : ` password=${decodeURIComponent(server.password)}`;
  return `[databases]
* = host=${server.hostname} port=${server.port || 5432}${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
server_round_robin = 1
max_client_conn = 200
`;
}

/** Turns off the tracking of prepared statements: available since 1.21, on by default since 1.24: https://www.pgbouncer.org/changelog.html (2026-11-22). */
function namesOff(binary: string): string {
  const version = execFileSync(binary, ['--version'], { encoding: 'utf8' });
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) === 1 && Number(minor) < 21 ? '' : 'max_prepared_statements = 0\n';
}

/** Resolves when it reports that it listens; later output is discarded. */
async function ready(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error('pgbouncer was started without pipes');
  const output: string[] = [];
  const lines = createInterface({ input: child.stderr });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      reject(new Error(`pgbouncer ended (${code ?? signal}):\n${output.join('\n')}`)),
    );
    lines.on('line', (line) => {
      if (output.length < 200) output.push(line);
      if (line.includes('process up')) resolve();
    });
  });
}
