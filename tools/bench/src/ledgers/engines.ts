import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startPostgres, startRedis } from '@searchgate-internal/test-servers';
import { type Child, startChild } from '../processes/child.js';
import type { LedgerProcess } from './ledger-process.js';

/** An empty ledger. Commits are flushed. */
interface Engine {
  /** As `openLedger` reads it. */
  readonly target: string;
  stop(): Promise<void>;
}

const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

const scratch = mkdtempSync(path.join(os.tmpdir(), 'searchgate-bench-'));
// Servers and measuring processes end with this process and remove their own files.
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }));
for (const [signal, code] of Object.entries(SIGNAL_EXIT_CODES)) process.once(signal, () => process.exit(code));

/** Starts an engine of each kind. Servers are durable and started for this run. They reject if the engine is missing. */
export const ENGINES = {
  memory: async () => ({ target: 'memory', stop: async () => {} }),
  sqlite: async () => {
    const folder = mkdtempSync(path.join(scratch, 'sqlite-'));
    return {
      target: `sqlite:${path.join(folder, 'ledger.db')}`,
      stop: async () => rmSync(folder, { recursive: true }),
    };
  },
  postgres: async () => {
    const server = await startPostgres({ durable: true, ownServer: true });
    return { target: await server.createDatabase(), stop: () => server.stop() };
  },
  redis: async () => {
    const server = await startRedis({ appendfsync: 'always', ownServer: true });
    if ('reason' in server) throw new Error(server.reason);
    return { target: server.url, stop: () => server.stop() };
  },
} satisfies Record<string, () => Promise<Engine>>;

export type EngineId = keyof typeof ENGINES;

/** @param preload URLs of modules to load first. */
export function openLedgerProcess(preload: readonly string[] = []): Promise<Child<LedgerProcess>> {
  return startChild<LedgerProcess>('ledger', 'ledgers/ledger-process.js', { preload });
}
