import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from '../../processes/child.js';
import type { PairSample } from '../ledger-case.js';
import type { RoundTrips } from '../loads/ledger-load.js';
import type { EngineDescription } from '../loads/opened-ledger.js';
import { type Contender, type Endings, LEDGER } from './engine.js';

const LOADS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../loads');

/** Starts one of the scripts in `loads/` in a process of its own. */
export async function startLoad(name: string, argument: string, endings: Endings): Promise<Child> {
  const child = await Child.start(name, path.join(LOADS, `${name}.js`), { argv: [argument] });
  endings.add(() => child.stop());
  return child;
}

/** A process with a ledger in it, ready to be asked. */
export interface LedgerChild {
  readonly description: EngineDescription;
  readonly contender: Contender;
  roundTrips(durationMs: number): Promise<RoundTrips>;
  verify(): Promise<void>;
}

/** @param target `memory`, `sqlite:<file>`, or the URL of a server. */
export async function startLedger(target: string, endings: Endings): Promise<LedgerChild> {
  const child = await startLoad('ledger-load', target, endings);
  const description = await child.ask<EngineDescription>('prepare');
  return {
    description,
    contender: {
      name: LEDGER,
      takes: () => true,
      async pairs(load) {
        // What a ledger in memory has kept of earlier cases would weigh on the later ones.
        if (target === 'memory') await child.ask('prepare');
        return child.ask<PairSample>('pairs', load);
      },
    },
    roundTrips: (durationMs) => child.ask('roundTrips', durationMs),
    verify: () => child.ask('verify'),
  };
}
