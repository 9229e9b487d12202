import type { GatewayProcess } from './gateway-process.js';
import type { SeededRandom } from './seeded-random.js';

export interface RotationOptions {
  /** Number of parallel gateways that are started, killed and replaced. */
  readonly slots: number;
  readonly kills: number;
  /** The most calls of a gateway before it is killed. */
  readonly mostCalls: number;
  readonly random: SeededRandom;
  start(): Promise<GatewayProcess>;
}

/** Gateways that serve, are killed at random moments, and are replaced. */
export interface Rotation {
  /** Returns one of the serving gateways; waits if there is none. Rejects after the rotation has ended. */
  any(): Promise<GatewayProcess>;
  isOver(): boolean;
  /** Resolves when all kills are done and no gateway is left. */
  readonly finished: Promise<void>;
}

/** Delay between the last call and the kill: random, up to about the duration of a call, so that kills hit calls in every phase. */
const LONGEST_LAST_CALL_MS = 40;

interface Doomed {
  readonly gateway: GatewayProcess;
  callsLeft: number;
  /** Called after the last call was assigned. */
  lastCallGiven(): void;
}

/** Starts the rotation. The life of a gateway is counted in calls, so that it does not depend on the speed of the machine. */
export function killInRotation({ slots, kills, mostCalls, random, start }: RotationOptions): Rotation {
  const serving = new Set<Doomed>();
  let waiting: (() => void)[] = [];
  let begun = 0;
  let over = false;

  async function slot(): Promise<void> {
    while (begun < kills && !over) {
      begun += 1;
      const gateway = await start();
      await new Promise<void>((lastCallGiven) => {
        serving.add({ gateway, callsLeft: random.between(1, mostCalls), lastCallGiven });
        wake();
      });
      await new Promise((resolve) => setTimeout(resolve, random.between(0, LONGEST_LAST_CALL_MS)));
      await gateway.kill();
    }
  }

  function wake(): void {
    for (const go of waiting) go();
    waiting = [];
  }

  function giveCall(doomed: Doomed): GatewayProcess {
    doomed.callsLeft -= 1;
    if (doomed.callsLeft === 0) {
      serving.delete(doomed);
      doomed.lastCallGiven();
    }
    return doomed.gateway;
  }

  const finished = Promise.all(Array.from({ length: slots }, slot)).then(() => undefined);
  const end = () => {
    over = true;
    wake();
  };
  finished.then(end, end);

  return {
    finished,
    isOver: () => over,
    async any() {
      while (serving.size === 0) {
        if (over) throw new Error('the last gateway has been killed');
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return giveCall(random.pick([...serving]));
    },
  };
}
