import {
  hasRedisBinary,
  type RedisDurability,
  type RedisSettings,
  type RedisUnavailable,
  startRedisProcess,
} from './redis-process.js';
import { formRedisCluster } from './start-redis-cluster.js';

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

/**
 * Finds a Redis for tests: the one at `SEARCHGATE_TEST_REDIS_URL`, else a throw-away `redis-server` of this machine on a free port of
 * 127.0.0.1 with a folder of its own. It ends with this process. Where there is neither, the reason is returned.
 */
export async function startRedis(options: StartRedisOptions = {}): Promise<RedisServer | RedisUnavailable> {
  const url = process.env.SEARCHGATE_TEST_REDIS_URL;
  const mustBeOwn = options.ownServer === true || options.cluster === true;
  if (url !== undefined && url !== '' && !mustBeOwn) return givenServer(url);
  if (!hasRedisBinary()) {
    const given = mustBeOwn ? 'one of our own is wanted' : 'SEARCHGATE_TEST_REDIS_URL is not set';
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
