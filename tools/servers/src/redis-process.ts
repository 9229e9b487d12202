import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithUs } from './end-with-us.js';
import { freePort } from './free-port.js';

/** Which acknowledged writes survive: all (`always`), all but the last second, or none. */
export type RedisDurability = 'always' | 'everysec' | 'no-aof';

export interface RedisSettings {
  readonly appendfsync: RedisDurability;
  /** Whether the server is a node of a Cluster. */
  readonly cluster: boolean;
}

/** A `redis-server` with a fixed folder and port. */
export interface RedisProcess {
  readonly port: number;
  /** Starts it again with the same folder. Harmless while it runs. */
  start(): Promise<void>;
  /** Ends it, and resolves when the process has ended. Harmless afterwards. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Ends it at once and removes its folder. */
  remove(): Promise<void>;
}

/** Why there is no Redis; the reason for skipping tests. */
export interface RedisUnavailable {
  readonly reason: string;
}

export function hasRedisBinary(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts a server with a new folder on a free port of 127.0.0.1. It ends with this process. */
export async function startRedisProcess(settings: RedisSettings): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'searchgate-redis-'));
  const { port, first } = await launchOnFreePort(folder, settings);
  let running: Running | undefined = first;
  const end = async (signal: NodeJS.Signals) => {
    await running?.end(signal);
    running = undefined;
  };
  return {
    port,
    end,
    async start() {
      running ??= await launch(port, folder, settings);
    },
    async remove() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Running {
  end(signal: NodeJS.Signals): Promise<void>;
}

const PORT_TRIES = 5;

async function launchOnFreePort(folder: string, settings: RedisSettings) {
  for (let left = PORT_TRIES - 1; ; left -= 1) {
    const port = await freePort();
    try {
      return { port, first: await launch(port, folder, settings) };
    } catch (error) {
      if (left > 0) continue;
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
}

async function launch(port: number, folder: string, settings: RedisSettings): Promise<Running> {
  const place = { bind: '127.0.0.1', port: String(port), dir: folder };
  const all = { ...place, save: '', ...appendOnly(settings.appendfsync), ...(await clustering(settings.cluster)) };
  const flags = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
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

/** Nodes use a second port, by default 10,000 higher, which may not exist. A node that never met another does not know its own address. */
async function clustering(cluster: boolean): Promise<Record<string, string>> {
  if (!cluster) return {};
  const port = String(await freePort());
  return { 'cluster-enabled': 'yes', 'cluster-port': port, 'cluster-announce-ip': '127.0.0.1' };
}

/** Resolves when the server reports that it has loaded its data and listens; later output is discarded. */
async function ready(child: ChildProcess): Promise<void> {
  const output: string[] = [];
  if (child.stdout === null || child.stderr === null) throw new Error('redis-server was started without pipes');
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`redis-server ${why}:\n${output.join('\n')}`));
    child.once('error', reject);
    child.once('exit', (code, signal) => fail(`ended (${code ?? signal})`));
    lines.on('line', (line) => {
      if (output.length < 200) output.push(line);
      if (line.includes('Ready to accept connections')) resolve();
    });
  });
}
