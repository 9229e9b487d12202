import { type Ledger, memoryLedger } from '@searchgate/core';
import { announceReady, serveCommands } from '../processes/commands.js';

export interface LedgerCommand {
  /** Callers that each wait for one verb before the next. */
  readonly callers: number;
  readonly organizations: number;
  readonly pairs: number;
}

const COST = 5_000_000n;
const FAR_AHEAD_MS = 60_000;

/** Holds and settles through the ledger's own interface, as the gateway does: an id per call, a key with a limit, an expiry. */
async function pairsPerSecond({ callers, organizations, pairs }: LedgerCommand): Promise<number> {
  const names = Array.from({ length: organizations }, (_, index) => `organization-${index}`);
  const ledger = memoryLedger({ credits: Object.fromEntries(names.map((name) => [name, '1000000.00'])) });
  let next = 0;

  async function call(): Promise<void> {
    while (next < pairs) {
      const index = next++;
      await holdAndSettle(ledger, `ans_${index.toString().padStart(26, '0')}`, names[index % organizations] ?? '');
    }
  }

  const startedMs = performance.now();
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - startedMs) / 1_000;
  await ledger.close();
  return pairs / seconds;
}

async function holdAndSettle(ledger: Ledger, holdId: string, organizationId: string): Promise<void> {
  const held = await ledger.hold({
    holdId,
    organizationId,
    keyId: `key-of-${organizationId}`,
    keyLimit: COST * 1_000_000_000n,
    amount: COST,
    expiresAtMs: Date.now() + FAR_AHEAD_MS,
    model: 'exa/answer',
  });
  if (held.status !== 'held') throw new Error('the ledger refused a hold it has room for');
  await ledger.settle(holdId, { cost: COST, model: 'exa/answer', provider: 'exa', costSource: 'reported' });
}

serveCommands({ pairsPerSecond: (command) => pairsPerSecond(command as LedgerCommand) });
announceReady();
