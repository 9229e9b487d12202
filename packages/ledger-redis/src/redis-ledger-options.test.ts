import { ConfigurationError } from '@searchgate/core/ledger';
import { Redis } from 'ioredis';
import { createClient, createClientPool, createCluster } from 'redis';
import { expect, test } from 'vitest';
import { type RedisClient, type RedisLedgerOptions, redisLedger } from './index.js';

const client = { call: () => Promise.resolve(['1']) };

test.each<[string, unknown]>([
  ['redisLedger: found nothing', undefined],
  ['redisLedger.client: found nothing', {}],
  ['redisLedger.client: found "redis://', { client: 'redis://127.0.0.1' }],
  ['redisLedger.client: found an object', { client: {} }],
  ['redisLedger.prefix: found ""', { client, prefix: '' }],
  ['redisLedger.prefix: found "{a}"', { client, prefix: '{a}' }],
  ['redisLedger.prefix: found "two words"', { client, prefix: 'two words' }],
  ['redisLedger.endedHoldRetentionMs: found 59999', { client, endedHoldRetentionMs: 59_999 }],
  ['redisLedger.endedHoldRetentionMs: found 1.5', { client, endedHoldRetentionMs: 1.5 }],
  ['redisLedger.allowEviction: found "yes"', { client, allowEviction: 'yes' }],
  ['redisLedger.clock: found an object', { client, clock: {} }],
  ['redisLedger.prefx: found an unknown option', { client, prefx: 'a' }],
])('refuses wrong options: %s', (message, options) => {
  expect(() => redisLedger(options as RedisLedgerOptions)).toThrow(ConfigurationError);
  expect(() => redisLedger(options as RedisLedgerOptions)).toThrow(message);
});

test('sends nothing before it is asked to', () => {
  redisLedger({ client: { call: () => Promise.reject(new Error('was called')) } });
});

test('gives what a client throws that is not transient, at once', async () => {
  const ledger = redisLedger({ client: { call: () => Promise.reject(new Error('ERR unknown command')) } });
  await expect(ledger.organizationTotals('acme')).rejects.toThrow('ERR unknown command');
});

test('reads replies of clients that give buffers', async () => {
  const reply = ['5', '2', '1'].map((text) => Buffer.from(text));
  const ledger = redisLedger({ client: { call: () => Promise.resolve(reply) }, allowEviction: true });
  expect(await ledger.organizationTotals('acme')).toEqual({ credits: 5n, usage: 2n, held: 1n });
});

test('takes the clients of both packages as they are', () => {
  const ofIoRedis = [new Redis({ lazyConnect: true }), new Redis.Cluster(['127.0.0.1'], { lazyConnect: true })];
  const rootNodes = [{ url: 'redis://127.0.0.1' }];
  const clients: RedisClient[] = [...ofIoRedis, createClient(), createClientPool(), createCluster({ rootNodes })];
  for (const each of clients) expect(() => redisLedger({ client: each })).not.toThrow();
});
