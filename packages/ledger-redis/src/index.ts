export type { IoRedisClient, NodeRedisClient, NodeRedisCluster, RedisClient } from './redis-client.js';
export { type RedisLedger, type RedisLedgerOptions, redisLedger } from './redis-ledger.js';
