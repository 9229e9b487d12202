export {
  type Pgbouncer,
  type PgbouncerUnavailable,
  type StartPgbouncerOptions,
  startPgbouncer,
} from './start-pgbouncer.js';
export { type PostgresServer, type StartPostgresOptions, startPostgres } from './start-postgres.js';
export {
  type RedisDurability,
  type RedisServer,
  type RedisUnavailable,
  type StartRedisOptions,
  startRedis,
} from './start-redis.js';
