import type { StartEngine } from './engine.js';
import { startMemory } from './start-memory.js';
import { startPostgres } from './start-postgres.js';
import { startRedis } from './start-redis.js';
import { startSqlite } from './start-sqlite.js';

export type EngineId = 'memory' | 'sqlite' | 'postgres' | 'redis' | 'redis-everysec';

interface ListedEngine {
  readonly id: EngineId;
  readonly name: string;
  readonly start: StartEngine;
}

/** In the order they are measured. */
export const ENGINES: readonly ListedEngine[] = [
  { id: 'memory', name: 'Memory', start: startMemory },
  { id: 'sqlite', name: 'SQLite', start: startSqlite },
  { id: 'postgres', name: 'PostgreSQL', start: startPostgres },
  { id: 'redis', name: 'Redis, every write flushed', start: startRedis('always') },
  { id: 'redis-everysec', name: 'Redis, flushed every second', start: startRedis('everysec') },
];
