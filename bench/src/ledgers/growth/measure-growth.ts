import path from 'node:path';
import { startPostgres, startRedis } from '@searchgate-internal/test-servers';
import type { EngineContext } from '../engines/engine.js';
import type { EngineId } from '../engines/engines.js';
import { startLoad } from '../engines/ledger-child.js';
import type { GrowthSample } from './growth-sample.js';

/** Answers between two reports of a process that makes its ledger grow. */
const ANSWERS_AT_ONCE = 50_000;

interface GrowingEngine {
  readonly id: EngineId;
  readonly name: string;
  /** Starts a server where it takes one. @returns what the ledger is opened by. */
  readonly start: (context: EngineContext) => Promise<string>;
}

export const GROWING_ENGINES: readonly GrowingEngine[] = [
  { id: 'memory', name: 'Memory', start: async () => 'memory' },
  { id: 'sqlite', name: 'SQLite', start: async ({ scratch }) => `sqlite:${path.join(scratch, 'growth.db')}` },
  {
    id: 'postgres',
    name: 'PostgreSQL',
    async start({ endings }) {
      const server = await startPostgres({ durable: true, ownServer: true });
      endings.add(() => server.stop());
      return server.createDatabase();
    },
  },
  {
    id: 'redis',
    name: 'Redis, every write flushed',
    async start({ endings }) {
      const server = await startRedis({ appendfsync: 'always', ownServer: true });
      if ('reason' in server) throw new Error(server.reason);
      endings.add(() => server.stop());
      return server.url;
    },
  },
];

/**
 * Measures a ledger, makes it grow, measures it again, and so on.
 *
 * @param target what the ledger is opened by.
 * @param sizes in answers, ascending.
 */
export async function measureGrowth(
  target: string,
  sizes: readonly number[],
  { endings }: EngineContext,
): Promise<GrowthSample[]> {
  const child = await startLoad('growth-load', target, endings);
  await child.ask('prepare');
  const samples: GrowthSample[] = [];
  let answers = 0;
  for (const size of sizes) {
    while (answers < size) {
      answers = Math.min(answers + ANSWERS_AT_ONCE, size);
      await child.ask('growTo', answers);
    }
    samples.push(await child.ask<GrowthSample>('measure'));
  }
  return samples;
}
