import {
  hasRedisBinary,
  type RedisDurability,
  type RedisSettings,
  type RedisUnavailable,
  startRedisProcess,
} from './redis-process.js';
import { formRedisCluster } from './start-redis-cluster.js';

export interface StartRedisOptions {
  /** Default `no-aof`: fast, and a restart loses everything. */
  readonly appendfsync?: RedisDurability;
  /** Starts a temporary server even if a URL is given: for tests that kill the server. */
  readonly ownServer?: boolean;
  /**
   * A Cluster of one temporary server with all slots: commands with keys of two slots are refused as in any Cluster. Takes two seconds, the time
   * before a node accepts writes.
   */
  readonly cluster?: boolean;
}

/** A Redis for tests. Its address never changes. */
export interface RedisServer {
  readonly url: string;
  /** Whether this is a temporary server; a server given by URL cannot be killed or restarted, and may hold other data. */
  readonly throwAway: boolean;
  /** Ends the server with SIGTERM and starts it again with the same folder. */
  restart(): Promise<void>;
  /** Ends the server at once with SIGKILL, like a crash. */
  kill(): Promise<void>;
  /** Starts it again with the same folder, after `kill`. Harmless while it runs. */
  start(): Promise<void>;
  /** Ends the server and removes its folder. A server given by URL is left running. */
  stop(): Promise<void>;
}

/**
 * Finds a Redis for tests: the one at `SEARCHGATE_TEST_REDIS_URL`, else a temporary `redis-server` of this machine with a new folder, on a free port of
 * 127.0.0.1. It ends with this process. Without either the reason is returned.
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<RedisServer | RedisUnavailable> {
  const url = process.env.SEARCHGATE_TEST_REDIS_URL;
  const mustBeOwn = options.ownServer === true || options.cluster === true;
  if (url !== undefined && url !== '' && !mustBeOwn) return givenServer(url);
  if (!hasRedisBinary()) {
    const given = mustBeOwn ? 'the test needs its own server' : 'SEARCHGATE_TEST_REDIS_URL is not set';
    return { reason: `no Redis: ${given} and there is no redis-server on this machine` };
  }
  return ownServer({ appendfsync: 'no-aof', cluster: false, ...options });
}

function givenServer(url: string): RedisServer {
  const refuse = (operation: string) => async () => {
    throw new Error(
      `The Redis at SEARCHGATE_TEST_REDIS_URL is not ours to ${operation}; unset it to test on a throw-away one.`,
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

async function ownServer(settings: RedisSettings): Promise<RedisServer> {
  const server = await startRedisProcess(settings);
  const start = async () => {
    await server.start();
    if (settings.cluster) await formRedisCluster([server.port]);
  };
  await start();
  return {
    url: `redis://127.0.0.1:${server.port}`,
    throwAway: true,
    start,
    kill: () => server.end('SIGKILL'),
    restart: async () => {
      await server.end('SIGTERM');
      await start();
    },
    stop: () => server.remove(),
  };
}
