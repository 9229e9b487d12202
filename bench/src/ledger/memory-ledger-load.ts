import { memoryLedger } from '@searchgate/core';
import { grantAll, holdAndSettle, holdId, organizationName } from '../ledgers/hold-and-settle.js';
import { announceReady, serveCommands } from '../processes/commands.js';

export interface LedgerCommand {
  /** Callers that each wait for one verb before the next. */
  readonly callers: number;
  readonly organizations: number;
  readonly pairs: number;
}

async function pairsPerSecond({ callers, organizations, pairs }: LedgerCommand): Promise<number> {
  const ledger = memoryLedger();
  await grantAll(ledger, organizations);
  let next = 0;

  async function call(): Promise<void> {
    while (next < pairs) {
      const index = next++;
      await holdAndSettle(ledger, holdId(index), organizationName(index % organizations));
    }
  }

  const startedMs = performance.now();
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - startedMs) / 1_000;
  await ledger.close();
  return pairs / seconds;
}

serveCommands({ pairsPerSecond: (command) => pairsPerSecond(command as LedgerCommand) });
announceReady();
