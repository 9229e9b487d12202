import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { endWithUs } from './end-with-us.js';
import { freePort } from './free-port.js';

/** How much of what it acknowledged the server keeps: all (`always`), all but the last second, or nothing beyond its own life. */
export type RedisDurability = 'always' | 'everysec' | 'no-aof';

export interface StartRedisOptions {
  /** Default `no-aof`: quick, and a restart forgets everything. */
  readonly appendfsync?: RedisDurability;
  /** A throw-away server even where one is given by URL: for tests that kill it. */
  readonly ownServer?: boolean;
  /**
   * A Cluster of one throw-away server, which has every slot: keys of two slots in one command are refused as in any other. Takes two seconds,
   * because a node waits so long before it takes writes.
   */
  readonly cluster?: boolean;
}

type ServerSettings = Required<Pick<StartRedisOptions, 'appendfsync' | 'cluster'>>;

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
  const mustBeOwn = options.ownServer === true || options.cluster === true;
  if (url !== undefined && url !== '' && !mustBeOwn) return givenServer(url);
  if (!hasBinary()) {
    const given = mustBeOwn ? 'one of our own is wanted' : 'SEARCHGATE_TEST_REDIS_URL is not set';
    const reason = `no Redis: ${given} and there is no redis-server on this machine`;
    console.warn(`skipped: ${reason}`);
    return { reason };
  }
  return ownServer({ appendfsync: 'no-aof', cluster: false, ...options });
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

async function ownServer(options: ServerSettings): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-redis-'));
  const { port, first } = await launchOnFreePort(folder, options);
  let running: Running | undefined = first;
  const end = async (signal: NodeJS.Signals) => {
    await running?.end(signal);
    running = undefined;
  };
  const start = async () => {
    running ??= await launch(port, folder, options);
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

async function launchOnFreePort(folder: string, options: ServerSettings) {
  for (let left = PORT_TRIES - 1; ; left -= 1) {
    const port = await freePort();
    try {
      return { port, first: await launch(port, folder, options) };
    } catch (error) {
      if (left > 0) continue;
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
}

async function launch(port: number, folder: string, options: ServerSettings): Promise<Running> {
  const place = { bind: '127.0.0.1', port: String(port), dir: folder };
  const settings = { ...place, save: '', ...appendOnly(options.appendfsync), ...(await clustering(options.cluster)) };
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = once(child, 'exit');
  const dismiss = child.pid === undefined ? () => {} : endWithUs(child.pid, folder);
  try {
    await ready(child);
    if (options.cluster) await takeEverySlot(port);
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

/** Nodes talk over another port, which is 10,000 higher unless given and may be none. A node that never met another does not know its address. */
async function clustering(cluster: boolean): Promise<Record<string, string>> {
  if (!cluster) return {};
  const port = String(await freePort());
  return { 'cluster-enabled': 'yes', 'cluster-port': port, 'cluster-announce-ip': '127.0.0.1' };
}

const LAST_SLOT = '16383';
const CLUSTER_CHECKS = 200;

/** A node remembers its slots over restarts, and refuses to be given them again. */
async function takeEverySlot(port: number): Promise<void> {
  const client = new Redis(port, '127.0.0.1');
  try {
    const slots = await client.cluster('SLOTS');
    if (slots.length === 0) await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', LAST_SLOT);
    for (let check = 0; check < CLUSTER_CHECKS; check += 1) {
      if ((await client.cluster('INFO')).includes('cluster_state:ok')) return;
      await wait(25);
    }
    throw new Error('the Cluster of one did not become ready');
  } finally {
    client.disconnect();
  }
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
