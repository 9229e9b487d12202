import type { Logger } from '../events/logger.js';
import type { Clock } from '../time/clock.js';
import { createTimeLimit } from '../time/time-limit.js';
import type { Latencies } from './latencies.js';
import { readSnapshot } from './latency-snapshot.js';
import type { LatencyStore } from './latency-store.js';

export interface KeepLatenciesOptions {
  readonly latencyStore?: LatencyStore | undefined;
  /** Longest wait for the store. */
  readonly ledgerTimeoutMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface KeptLatencies {
  /** Saves for the last time. Never rejects, and takes no longer than the limit. */
  close(): Promise<void>;
}

const SAVE_EVERY_MS = 30_000;

/** Loads what the host's store has, and saves every so often what was learned since. No call waits for it. */
export function keepLatencies(latencies: Latencies, options: KeepLatenciesOptions): KeptLatencies {
  const { latencyStore: store, ledgerTimeoutMs: timeoutMs, clock, logger } = options;
  if (store === undefined) return { close: () => Promise.resolve() };
  const limit = createTimeLimit(clock, timeoutMs);
  let savedCount = latencies.recorded();
  let isClosed = false;
  let cancel = (): void => undefined;

  const limited = <T>(work: () => Promise<T>) =>
    limit.run(work, () => new Error(`the latency store did not answer within ${timeoutMs} ms`));

  const load = async (): Promise<void> => {
    const loaded: unknown = await limited(() => store.load());
    const snapshot = readSnapshot(loaded);
    if (snapshot !== undefined) latencies.restore(snapshot);
    else if (loaded != null) logger.warn({}, 'what the latency store has is no snapshot and is ignored');
  };

  const save = async (): Promise<void> => {
    const count = latencies.recorded();
    if (count === savedCount) return;
    await limited(() => store.save(latencies.snapshot()));
    savedCount = count;
  };

  async function logged(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logger.warn({ error }, 'the latency store failed');
    }
  }

  function scheduleSave(): void {
    if (isClosed) return;
    cancel = clock.schedule(SAVE_EVERY_MS, saveInTurn, 'background');
  }

  function saveInTurn(): void {
    underWay = logged(save).then(scheduleSave);
  }

  // What was kept is not replaced before it has been read.
  let underWay = logged(load).then(scheduleSave);
  return {
    close() {
      isClosed = true;
      cancel();
      return logged(() => limited(() => underWay.then(save)));
    },
  };
}
