import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { hasRedisBinary, type RedisUnavailable, startRedisProcess } from './redis-process.js';

/** A Redis Cluster for tests: temporary servers, each with a share of the slots, without replicas. */
export interface RedisCluster {
  /** URLs of all nodes. */
  readonly urls: readonly string[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const CLUSTER_CHECKS = 400;
const CHECK_EVERY_MS = 25;

/** Starts a Cluster of `nodes` nodes. They sync every command to their files before acknowledging it, and end with this process. */
export async function startRedisCluster(nodes = 3): Promise<RedisCluster | RedisUnavailable> {
  if (!hasRedisBinary()) return { reason: 'no Redis Cluster: there is no redis-server on this machine' };
  const started = Array.from({ length: nodes }, () => startRedisProcess({ appendfsync: 'always', cluster: true }));
  const servers = await Promise.all(started);
  const ports = servers.map(({ port }) => port);
  await formRedisCluster(ports);
  return {
    urls: ports.map((port) => `redis://127.0.0.1:${port}`),
    async stop() {
      await Promise.all(servers.map((server) => server.remove()));
    },
  };
}

/** Forms one Cluster of the nodes on these ports, with all slots assigned, and waits until each node agrees. Harmless to repeat. */
export async function formRedisCluster(ports: readonly number[]): Promise<void> {
  const clients = ports.map((port) => new Redis(port, '127.0.0.1'));
  try {
    for (const [index, client] of clients.entries()) await takeSlots(client, { index, nodes: clients.length });
    const [first, ...others] = clients;
    const busPort = first === undefined ? '' : await busPortOf(first);
    for (const other of others) await other.call('CLUSTER', 'MEET', '127.0.0.1', `${ports[0]}`, busPort);
    for (const client of clients) await ready(client, clients.length);
  } finally {
    for (const client of clients) client.disconnect();
  }
}

/** Assigns slots. A node remembers its slots over restarts, and refuses to get them twice. */
async function takeSlots(client: Redis, { index, nodes }: { readonly index: number; readonly nodes: number }) {
  if ((await client.cluster('SLOTS')).length > 0) return;
  const from = Math.floor((SLOTS * index) / nodes);
  const to = Math.floor((SLOTS * (index + 1)) / nodes) - 1;
  await client.call('CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${to}`);
}

/** The port for traffic between nodes. */
async function busPortOf(client: Redis): Promise<string> {
  const [, port] = await client.config('GET', 'cluster-port');
  return String(port);
}

async function ready(client: Redis, nodes: number): Promise<void> {
  for (let check = 0; check < CLUSTER_CHECKS; check += 1) {
    const info = await client.cluster('INFO');
    if (info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes}\r`)) return;
    await wait(CHECK_EVERY_MS);
  }
  throw new Error(`the Cluster of ${nodes} did not become ready`);
}
