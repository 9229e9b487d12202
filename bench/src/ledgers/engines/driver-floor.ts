import type { DriverFloorSettings } from '../loads/driver-floor.js';
import type { Contender, Endings } from './engine.js';
import { startLoad } from './ledger-child.js';

/** A floor through the driver, in a process of its own. */
export async function startDriverFloor(
  name: string,
  settings: DriverFloorSettings,
  endings: Endings,
): Promise<Contender> {
  const child = await startLoad('driver-floor', JSON.stringify(settings), endings);
  return { name, takes: () => true, pairs: (load) => child.ask('pairs', load) };
}
