export { freePort } from './free-port.js';
export type { RedisDurability, RedisUnavailable } from './redis-process.js';
export { type ChromiumUnavailable, startChromium } from './start-chromium.js';
export {
  type Pgbouncer,
  type PgbouncerUnavailable,
  type StartPgbouncerOptions,
  startPgbouncer,
} from './start-pgbouncer.js';
export { type PostgresServer, type StartPostgresOptions, startPostgres } from './start-postgres.js';
export { type RedisServer, type StartRedisOptions, startRedis } from './start-redis.js';
export { type RedisCluster, startRedisCluster } from './start-redis-cluster.js';
export { type Searx, type SearxEngine, type SearxUnavailable, startSearx } from './start-searx.js';
