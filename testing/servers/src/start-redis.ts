import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithUs } from './end-with-us.js';
import { freePort } from './free-port.js';

/** How much of what it acknowledged the server keeps: all (`always`), all but the last second, or nothing beyond its own life. */
export type RedisDurability = 'always' | 'everysec' | 'no-aof';

export interface StartRedisOptions {
  /** Default `no-aof`: quick, and a restart forgets everything. */
  readonly appendfsync?: RedisDurability;
  /** A throw-away server even where one is given by URL: for tests that kill it. */
  readonly ownServer?: boolean;
}

/** A Redis for tests. Its address stays the same over restarts. */
export interface RedisServer {
  readonly url: string;
  /** Whether it is a throw-away instance of ours; one given by URL cannot be killed, started or restarted, and may hold data of others. */
  readonly throwAway: boolean;
  /** Ends the server in its own time (SIGTERM) and starts it again over the same folder. */
  restart(): Promise<void>;
  /** Ends the server at once (SIGKILL), as a crash would. */
  kill(): Promise<void>;
  /** Starts it again over the same folder, after `kill`. Harmless while it runs. */
  start(): Promise<void>;
  /** Ends the server and removes its folder. Harmless for a server given by URL, which is left running. */
  stop(): Promise<void>;
}

/** Why there is no Redis here: what a test that is skipped for it must print. */
export interface RedisUnavailable {
  readonly reason: string;
}

/**
 * Finds a Redis for tests: the one at `SEARCHGATE_TEST_REDIS_URL`, else a throw-away `redis-server` of this machine on a free port of
 * 127.0.0.1 with a folder of its own. It ends with this process. Where there is neither, the reason is printed and returned.
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<RedisServer | RedisUnavailable> {
  const url = process.env.SEARCHGATE_TEST_REDIS_URL;
  if (url !== undefined && url !== '' && options.ownServer !== true) return givenServer(url);
  if (!hasBinary()) {
    const given = options.ownServer === true ? 'one of our own is wanted' : 'SEARCHGATE_TEST_REDIS_URL is not set';
    const reason = `no Redis: ${given} and there is no redis-server on this machine`;
    console.warn(`skipped: ${reason}`);
    return { reason };
  }
  return ownServer(options.appendfsync ?? 'no-aof');
}

function hasBinary(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function givenServer(url: string): RedisServer {
  const refuse = (verb: string) => async () => {
    throw new Error(
      `The Redis at SEARCHGATE_TEST_REDIS_URL is not ours to ${verb}; unset it to test on a throw-away one.`,
    );
  };
  return {
    url,
    throwAway: false,
    restart: refuse('restart'),
    kill: refuse('kill'),
    start: refuse('start'),
    stop: async () => {},
  };
}

async function ownServer(durability: RedisDurability): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-redis-'));
  const { port, first } = await launchOnFreePort(folder, durability);
  let running: Running | undefined = first;
  const end = async (signal: NodeJS.Signals) => {
    await running?.end(signal);
    running = undefined;
  };
  const start = async () => {
    running ??= await launch(port, folder, durability);
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    throwAway: true,
    start,
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGTERM');
      await start();
    },
    stop: async () => {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Running {
  end(signal: NodeJS.Signals): Promise<void>;
}

const PORT_TRIES = 5;

async function launchOnFreePort(folder: string, durability: RedisDurability) {
  for (let left = PORT_TRIES - 1; ; left -= 1) {
    const port = await freePort();
    try {
      return { port, first: await launch(port, folder, durability) };
    } catch (error) {
      if (left > 0) continue;
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
}

async function launch(port: number, folder: string, durability: RedisDurability): Promise<Running> {
  const settings = { bind: '127.0.0.1', port: String(port), dir: folder, save: '', ...appendOnly(durability) };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = once(child, 'exit');
  const dismiss = child.pid === undefined ? () => {} : endWithUs(child.pid, folder);
  try {
    await ready(child);
  } catch (error) {
    dismiss();
    child.kill('SIGKILL');
    throw error;
  }
  child.unref();
  return {
    async end(signal) {
      dismiss();
      child.ref();
      child.kill(signal);
      await exited;
    },
  };
}

function appendOnly(durability: RedisDurability): Record<string, string> {
  return durability === 'no-aof' ? { appendonly: 'no' } : { appendonly: 'yes', appendfsync: durability };
}

/** Resolves once the server says that it has loaded its data and listens; afterwards its output is read and forgotten. */
async function ready(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  if (child.stdout === null || child.stderr === null) throw new Error('redis-server was started without pipes');
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`redis-server ${why}:\n${said.join('\n')}`));
    child.once('error', reject);
    child.once('exit', (code, signal) => fail(`ended (${code ?? signal})`));
    lines.on('line', (line) => {
      if (said.length < 200) said.push(line);
      if (line.includes('Ready to accept connections')) resolve();
    });
  });
}
