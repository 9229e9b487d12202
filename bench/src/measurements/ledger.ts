import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LedgerCommand } from '../ledger/memory-ledger-load.js';
import { MANY_CALLERS, MANY_ORGANIZATIONS } from '../ledgers/ledger-case.js';
import { Child } from '../processes/child.js';

const SCRIPT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../ledger/memory-ledger-load.js');

export interface LedgerRates {
  /** Hold + settle pairs per second, by round. */
  readonly manyOrganizations: readonly number[];
  readonly oneOrganization: readonly number[];
}

/** The memory ledger alone, in a process of its own. The first round is warm-up. */
export async function measureLedger({ pairs, rounds }: { pairs: number; rounds: number }): Promise<LedgerRates> {
  const child = await Child.start('memory ledger', SCRIPT);
  const manyOrganizations: number[] = [];
  const oneOrganization: number[] = [];
  const rate = (organizations: number) =>
    child.ask<number>('pairsPerSecond', { callers: MANY_CALLERS, organizations, pairs } satisfies LedgerCommand);
  try {
    for (let round = 0; round <= rounds; round += 1) {
      manyOrganizations.push(await rate(MANY_ORGANIZATIONS));
      oneOrganization.push(await rate(1));
    }
  } finally {
    await child.stop();
  }
  return { manyOrganizations: manyOrganizations.slice(1), oneOrganization: oneOrganization.slice(1) };
}
