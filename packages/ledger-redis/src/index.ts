export { type RedisLedger, redisLedger } from './redis-ledger.js';
export type { RedisLedgerOptions } from './redis-ledger-options.js';
export type { IoRedisClient, NodeRedisClient, NodeRedisCluster, RedisClient } from './engine/redis-client.js';
