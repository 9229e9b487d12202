import type { GatewayProcess } from './gateway-process.js';
import type { SeededRandom } from './seeded-random.js';

export interface RotationOptions {
  /** How many gateways are started, killed and replaced side by side. */
  readonly slots: number;
  readonly kills: number;
  /** How many calls a gateway is given before it is killed, at most. */
  readonly mostCalls: number;
  readonly random: SeededRandom;
  start(): Promise<GatewayProcess>;
}

/** Gateways that are killed at random moments while they serve, and replaced. */
export interface Rotation {
  /** Gives a call to one of the gateways that serve now; waits for one where there is none. Rejects once the rotation has ended. */
  any(): Promise<GatewayProcess>;
  isOver(): boolean;
  /** Resolves when as many were killed as asked for, and none is left. */
  readonly finished: Promise<void>;
}

/** After the last call a gateway is given, a random time passes that is about as long as a call: it dies in the middle of calls in every phase. */
const LONGEST_LAST_CALL_MS = 40;

interface Doomed {
  readonly gateway: GatewayProcess;
  callsLeft: number;
  /** Called when the last call has been given. */
  lastCallGiven(): void;
}

/** Starts the rotation. How long a gateway lives is counted in calls, so that it is the same on a machine that is busy with something else. */
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
