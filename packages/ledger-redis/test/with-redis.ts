import { randomBytes } from 'node:crypto';
import { type RedisServer, startRedis } from '@searchgate-internal/test-servers';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll } from 'vitest';
import { evaluateBy } from '../src/engine/redis-client.js';
import type { RedisClient } from '../src/index.js';

/** A client of the host's and how the host ends it. */
export interface HostClient {
  readonly client: RedisClient;
  end(): void;
}

/** Opens a connection by one of the two packages. */
export type Connect = (url: string) => Promise<HostClient>;

export const connectIoRedis: Connect = async (url) => {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => 20 }).on('error', () => {});
  await client.connect();
  return { client, end: () => client.disconnect() };
};

export const connectNodeRedis: Connect = async (url) => {
  const client = createClient({ url, socket: { reconnectStrategy: 20 } }).on('error', () => {});
  await client.connect();
  return { client, end: () => client.destroy() };
};

/** The name of a ledger no other test uses: the server may be shared. */
export function freshPrefix(): string {
  return `test:${randomBytes(9).toString('base64url')}`;
}

/** Starts a server for the test file that calls it, or tells why its tests are skipped. */
export async function serverOrReason(
  options: Parameters<typeof startRedis>[0] = {},
): Promise<{ readonly server: RedisServer | undefined; readonly suffix: string }> {
  const started = await startRedis(options);
  if ('reason' in started) return { server: undefined, suffix: ` (skipped: ${started.reason})` };
  afterAll(() => started.stop());
  return { server: started, suffix: '' };
}

const DUMP = `
local texts = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  local type = redis.call('TYPE', key).ok
  local read = { string = { 'GET', key }, hash = { 'HGETALL', key }, zset = { 'ZRANGE', key, 0, -1 }, list = { 'LRANGE', key, 0, -1 },
    stream = { 'XRANGE', key, '-', '+' } }
  texts[#texts + 1] = redis.call(unpack(read[type]))
end
return texts
`;

/** Every value of every key of a ledger. */
export async function dumpOf(client: RedisClient, prefix: string): Promise<string> {
  const dumped = await evaluateBy(client)('EVAL', DUMP, { keys: [`{${prefix}}:meta`], values: [`{${prefix}}:*`] });
  return JSON.stringify(dumped);
}
