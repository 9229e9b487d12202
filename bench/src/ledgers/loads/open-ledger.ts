import { openMemory } from './open-memory.js';
import { openPostgres } from './open-postgres.js';
import { openRedis } from './open-redis.js';
import { openSqlite } from './open-sqlite.js';
import type { OpenedLedger } from './opened-ledger.js';

const SQLITE = 'sqlite:';

/**
 * @param target `memory`, `sqlite:<file>`, or the URL of a server.
 * @param maxEntries how many entries a ledger in memory keeps; default its own.
 */
export async function openLedger(target: string, maxEntries?: number): Promise<OpenedLedger> {
  if (target === 'memory') return openMemory(maxEntries);
  if (target.startsWith(SQLITE)) return openSqlite(target.slice(SQLITE.length));
  return target.startsWith('redis') ? openRedis(target) : openPostgres(target);
}
