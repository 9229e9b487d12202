import { startChild } from '../processes/child.js';
import { goal, type Measurement, section, table, withSpread } from '../report.js';
import { otherPackages } from '../stage.js';
import type { StartUp } from '../start-up.js';
import { figureOf, ratioOf } from '../statistics.js';

const TEXT = 'Fresh processes, files in the cache of the operating system.';

/** Start-up in fresh processes, in turns: importing zod and undici alone, and building a gateway. */
export const measureStartUp: Measurement = async (_stage, { startUps }) => {
  const [floor, gateway]: [StartUp[], StartUp[]] = [[], []];
  for (let round = 0; round <= startUps; round += 1) {
    const [alone, whole] = [await startUp('floor'), await startUp('gateway')];
    // The first round only fills the file cache.
    if (round === 0) continue;
    floor.push(alone);
    gateway.push(whole);
  }
  const ms = ({ milliseconds }: StartUp): number => milliseconds;
  const opened = figureOf(gateway, ({ activeResources }) => activeResources.length);
  const result = table(
    ['what', 'ms'],
    [
      ['import zod and undici', withSpread(figureOf(floor, ms))],
      ['import the core and its providers, createGateway', withSpread(figureOf(gateway, ms))],
    ],
  );
  return {
    raw: { floor, gateway },
    goals: [
      goal(6, ['Import + createGateway ÷ importing zod and undici alone', '≤ 1.3 ×'], ratioOf(gateway, floor, ms)),
      goal(6, ['Timers, sockets and the like opened by the imports', '≤ 0'], opened),
    ],
    section: section('Start-up', TEXT, result),
  };
};

/** @param checkout whose packages to use, instead of our own. */
export async function startUp(what: 'floor' | 'gateway', checkout?: string): Promise<StartUp> {
  const preload = checkout === undefined ? [] : [otherPackages(checkout)];
  const child = await startChild(`start-up of the ${what}`, 'start-up.js', { argv: [what], preload });
  await child.stop();
  return child.ready as StartUp;
}
