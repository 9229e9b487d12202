import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from '../processes/child.js';
import type { StartUp } from '../start-up/start-up.js';

const SCRIPTS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../start-up');

export interface StartUps {
  /** Importing zod and undici alone. */
  readonly floor: readonly StartUp[];
  /** Importing the core and its providers, and building a gateway. */
  readonly gateway: readonly StartUp[];
}

/** Start-up in fresh processes, in turns. The first turn only fills the file cache. */
export async function measureStartUp(rounds: number): Promise<StartUps> {
  const floor: StartUp[] = [];
  const gateway: StartUp[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    floor.push(await startUp('floor'));
    gateway.push(await startUp('gateway'));
  }
  return { floor: floor.slice(1), gateway: gateway.slice(1) };
}

async function startUp(name: string): Promise<StartUp> {
  const child = await Child.start(`start-up of the ${name}`, path.join(SCRIPTS, `${name}.js`));
  await child.stop();
  return child.ready as StartUp;
}
