import { type Ledger, memoryLedger } from '@searchgate/core';
import type { DurableLedger } from '@searchgate/core/ledger';

export type AnyLedger = Ledger & Partial<Pick<DurableLedger, 'migrate' | 'audit'>>;

/** @param target `memory`, `sqlite:<file>`, or the URL of a server. */
export async function openLedger(target: string): Promise<AnyLedger> {
  if (target === 'memory') return memoryLedger();
  if (target.startsWith('sqlite:')) {
    const [{ default: Database }, { sqliteLedger }] = [
      await import('libsql'),
      await import('@searchgate/ledger-sqlite'),
    ];
    return sqliteLedger({ database: new Database(target.slice('sqlite:'.length)) });
  }
  if (target.startsWith('redis')) {
    const [{ Redis }, { redisLedger }] = [await import('ioredis'), await import('@searchgate/ledger-redis')];
    return redisLedger({ client: new Redis(target) });
  }
  const [{ Pool }, { postgresLedger }] = [await import('pg'), await import('@searchgate/ledger-postgres')];
  return postgresLedger({ pool: new Pool({ connectionString: target }).on('error', () => {}) });
}
