import { memoryApiKeys } from '@searchgate/core';
import { announceReady, serveCommands } from '../../processes/commands.js';
import { createGrowingLedger, type GrowingLedger } from '../growth/growing-ledger.js';
import { openLedger } from './open-ledger.js';

/** A process with one ledger that grows, named by its first argument: see {@link openLedger}. */
const MOST_ENTRIES = 10_000_000;
const target = process.argv[2] ?? '';
let growing: GrowingLedger | undefined;

function current(): GrowingLedger {
  if (growing === undefined) throw new Error('the ledger was not prepared');
  return growing;
}

serveCommands({
  async prepare() {
    growing = await createGrowingLedger(await openLedger(target, MOST_ENTRIES), memoryApiKeys());
  },
  growTo: (answers) => current().growTo(answers as number),
  measure: () => current().measure(),
});
announceReady();
