export {
  type RedisDurability,
  type RedisServer,
  type RedisUnavailable,
  type StartRedisOptions,
  startRedis,
} from './start-redis.js';
