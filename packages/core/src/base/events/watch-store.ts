import { errorMessage } from '../errors/error-message.js';
import { isLedgerError, type LedgerReason } from '../errors/ledger-error.js';
import type { Clock } from '../time/clock.js';
import type { EventStream, StoreName } from './events.js';
import type { Logger } from './logger.js';

/** Whether a store answers, and takes what is written. */
export interface StoreStatus {
  readonly id: StoreName;
  /** Since when the store has not, in milliseconds since the Unix epoch; `null` while it does. */
  readonly downSinceMs: number | null;
}

/** Tells when a store goes down and when it is back. */
export interface StoreWatch {
  readonly status: StoreStatus;
  /** Called with the end of every operation: its error, or `null`. */
  ended(error: Error | null): void;
  /** Called also with the end of every write of a call. A failure counts for 10 s, or until another one succeeds. */
  wrote(error: Error | null): void;
  /** Probes the store, unless it was probed less than 5 s ago. Never rejects. */
  check(): Promise<void>;
  stop(): void;
}

/** The watches of one gateway, with what they need. */
export interface StoreWatches {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: Pick<EventStream, 'emit'>;
  readonly all: StoreWatch[];
}

/** The name by which probes write. No caller has it. */
export const PROBE = 'searchgate:probe';

const NAMES: Readonly<Record<StoreName, string>> = {
  ledger: 'the ledger',
  key_store: 'the key store',
  idempotency: 'the idempotency store',
  request_log: 'the request log',
};
const PROBE_EVERY_MS = 5_000;
const UNWRITTEN_MS = 10_000;
/** Other refusals of a ledger tell nothing about its engine. */
const OUTAGES: ReadonlySet<LedgerReason> = new Set<LedgerReason>(['ledger_timeout', 'schema_mismatch']);

/**
 * One failed operation is no outage: the store is down if the probe that follows fails as well, or if a write of a call fails, until a probe succeeds. Other
 * operations do not end an outage: with a store that fails in part, it would begin and end with every call.
 *
 * @param probe writes a little to the store, always into the same place: an engine that can be read may be full. Its end comes to {@link StoreWatch.ended}.
 */
export function watchStore(id: StoreName, probe: () => Promise<unknown>, watches: StoreWatches): StoreWatch {
  const { clock } = watches;
  const report = reporter(id, watches);
  let failure: Failure | null = null;
  let [isDown, isStopped, hasProbeFailed] = [false, false, false];
  let [probedMs, unwrittenMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let probing: Promise<void> | null = null;
  let cancel = (): void => undefined;

  /** At most one probe is under way, and none begins within 5 s of the one before. */
  async function check(): Promise<void> {
    if (!isStopped && probing === null && clock.monotonic() - probedMs >= PROBE_EVERY_MS) probing = probeOnce();
    return probing ?? undefined;
  }

  async function probeOnce(): Promise<void> {
    probedMs = clock.monotonic();
    try {
      await probe();
      hasProbeFailed = false;
    } catch (error) {
      hasProbeFailed = true;
      note(error);
    }
    probing = null;
    decide();
  }

  function checkIn(delayMs: number): void {
    cancel();
    if (delayMs <= 0) void check();
    else cancel = clock.schedule(delayMs, () => void (failure !== null && check()), 'background');
  }

  function note(error: unknown): void {
    failure ??= { error, sinceMs: clock.now(), monotonicMs: clock.monotonic() };
  }

  function decide(): void {
    if (isStopped || failure === null) return;
    const isFailing = hasProbeFailed || clock.monotonic() - unwrittenMs < UNWRITTEN_MS;
    if (isFailing !== isDown) report(failure, isFailing);
    isDown = isFailing;
    if (isFailing) checkIn(PROBE_EVERY_MS);
    else failure = null;
  }

  const watch: StoreWatch = {
    get status() {
      return { id, downSinceMs: isDown && failure !== null ? failure.sinceMs : null };
    },
    ended(error) {
      if (error === null) {
        if (!isDown) failure = null;
      } else if (failure === null && isOutage(error)) {
        note(error);
        checkIn(probedMs + PROBE_EVERY_MS - clock.monotonic());
      }
    },
    wrote(error) {
      if (error === null) {
        unwrittenMs = Number.NEGATIVE_INFINITY;
      } else if (isOutage(error)) {
        unwrittenMs = clock.monotonic();
        note(error);
        decide();
      }
    },
    check,
    stop() {
      isStopped = true;
      cancel();
    },
  };
  watches.all.push(watch);
  return watch;
}

/** Probes all stores that were not probed in the last 5 s. Never rejects. */
export async function checkStores({ all }: Pick<StoreWatches, 'all'>): Promise<readonly StoreStatus[]> {
  await Promise.all(all.map((watch) => watch.check()));
  return all.map(({ status }) => status);
}

/** The first of a series. */
interface Failure {
  readonly error: unknown;
  readonly sinceMs: number;
  readonly monotonicMs: number;
}

function reporter(id: StoreName, { clock, logger, events }: StoreWatches) {
  return ({ error, sinceMs, monotonicMs }: Failure, isDown: boolean): void => {
    const about = { atMs: clock.now(), store: id, sinceMs };
    if (isDown) {
      logger.error({ error, sinceMs }, `${NAMES[id]} is down`);
      events.emit({ type: 'store_down', ...about, error: errorMessage(error) });
    } else {
      const downMs = Math.round(clock.monotonic() - monotonicMs);
      logger.warn({ sinceMs, downMs }, `${NAMES[id]} is back`);
      events.emit({ type: 'store_recovered', ...about, downMs });
    }
  };
}

function isOutage(error: Error): boolean {
  return !isLedgerError(error) || OUTAGES.has(error.reason);
}
