import { errorMessage } from '../errors/error-message.js';
import { isLedgerError, type LedgerReason } from '../errors/ledger-error.js';
import type { Clock } from '../time/clock.js';
import type { EventStream, StoreRecovered } from './events.js';
import type { Logger } from './logger.js';

/** Whether a store that every call needs answers. */
export interface StoreStatus {
  readonly id: StoreRecovered['store'];
  /** Since when the store has not answered, in milliseconds since the Unix epoch; `null` while it answers. */
  readonly downSinceMs: number | null;
}

/** Tells when a store goes down and when it is back. */
export interface StoreWatch {
  readonly status: StoreStatus;
  /** Whether the last operation failed, so that more failures are to be expected. */
  readonly isFailing: boolean;
  /** Called with the end of every operation: its error, or `null`. */
  ended(error: Error | null): void;
  stop(): void;
}

/** The watches of one gateway, with what they need. */
export interface StoreWatches {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: Pick<EventStream, 'emit'>;
  readonly all: StoreWatch[];
}

const NAMES = { ledger: 'the ledger', key_store: 'the key store' };
const PROBE_EVERY_MS = 1_000;
/** Other refusals of a ledger tell nothing about its engine. */
const OUTAGES: ReadonlySet<LedgerReason> = new Set<LedgerReason>(['ledger_timeout', 'schema_mismatch']);

/**
 * One failed operation is no outage: the store is down if the probe that follows fails as well, until a probe succeeds. Other operations do not end an
 * outage: with a store that fails in part, it would begin and end with every call.
 *
 * @param probe reads a little from the store. Its end comes to {@link StoreWatch.ended}, as that of every operation.
 */
export function watchStore(id: StoreStatus['id'], probe: () => Promise<unknown>, watches: StoreWatches): StoreWatch {
  const { clock, logger, events } = watches;
  let failingSince: { readonly sinceMs: number; readonly monotonicMs: number } | null = null;
  let isDown = false;
  let stopped = false;
  let cancel = (): void => undefined;

  async function check(): Promise<void> {
    try {
      await probe();
      answered();
    } catch (error) {
      if (stopped || failingSince === null) return;
      if (!isDown) wentDown(failingSince.sinceMs, error);
      cancel = clock.schedule(PROBE_EVERY_MS, () => void check(), 'background');
    }
  }

  function wentDown(sinceMs: number, error: unknown): void {
    isDown = true;
    logger.error({ error, sinceMs }, `${NAMES[id]} is down`);
    events.emit({ type: 'store_down', atMs: clock.now(), store: id, sinceMs, error: errorMessage(error) });
  }

  function answered(): void {
    if (failingSince !== null && isDown && !stopped) {
      const { sinceMs, monotonicMs } = failingSince;
      const downMs = Math.round(clock.monotonic() - monotonicMs);
      logger.warn({ sinceMs, downMs }, `${NAMES[id]} is back`);
      events.emit({ type: 'store_recovered', atMs: clock.now(), store: id, sinceMs, downMs });
    }
    failingSince = null;
    isDown = false;
  }

  const watch: StoreWatch = {
    get status() {
      return { id, downSinceMs: isDown && failingSince !== null ? failingSince.sinceMs : null };
    },
    get isFailing() {
      return failingSince !== null;
    },
    ended(error) {
      if (error === null) {
        if (!isDown) failingSince = null;
        return;
      }
      if (stopped || failingSince !== null || (isLedgerError(error) && !OUTAGES.has(error.reason))) return;
      failingSince = { sinceMs: clock.now(), monotonicMs: clock.monotonic() };
      void check();
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
  watches.all.push(watch);
  return watch;
}
