import { redisLedger } from '@searchgate/ledger-redis';
import { Redis } from 'ioredis';
import type { EngineDescription, OpenedLedger } from './opened-ledger.js';

export function openRedis(url: string): OpenedLedger {
  const client = new Redis(url);
  return {
    ledger: redisLedger({ client }),
    describe: () => describeRedis(client),
    ask: () => client.ping(),
    keep: () => client.set('bench-row', '1'),
    storedBytes: async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]),
  };
}

async function describeRedis(client: Redis): Promise<EngineDescription> {
  const info = await client.info('server');
  const settings = await client.config('GET', 'append*');
  const found = new Map(pairsOf(settings));
  return {
    version: /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown',
    settings: ['appendonly', 'appendfsync'].map((name) => `${name} ${found.get(name) ?? 'unknown'}`).join(', '),
  };
}

function pairsOf(words: readonly string[]): [string, string][] {
  return words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? ''] as [string, string]] : []));
}
