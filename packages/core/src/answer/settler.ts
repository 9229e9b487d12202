import type { Clock } from '../clock.js';
import { isLedgerError } from '../errors.js';
import type { EventStream } from '../events.js';
import type { Charge, Ledger, Release } from '../ledger/ledger.js';
import type { Logger } from '../logger.js';

/** How a hold is to end. */
type Ending =
  | { readonly verb: 'settle'; readonly charge: Charge }
  | { readonly verb: 'release'; readonly release: Release };

/** Ends holds, come what may: an answer that has been paid for is never withheld because the ledger stumbled. */
export interface Settler {
  /**
   * Ends a hold. Never rejects: when the ledger fails, the hold stays counted and the ending is retried in the background,
   * which is safe because every ending is idempotent by the hold's id.
   */
  end(holdId: string, ending: Ending, requestId: string): Promise<void>;
  /** Tries everything that is left once more and stops. Endings that fail even then are reported as final. */
  close(): Promise<void>;
}

export interface SettlerDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly events: EventStream;
  readonly logger: Logger;
}

interface Pending {
  readonly holdId: string;
  readonly ending: Ending;
  readonly requestId: string;
  attempts: number;
  cancelTimer(): void;
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** About a quarter of an hour. What is given up then is left to the hold's expiry, and to the operator who read the event. */
const MAX_ATTEMPTS = 20;
const MAX_PENDING = 10_000;

export function createSettler({ ledger, clock, events, logger }: SettlerDeps): Settler {
  const pending = new Set<Pending>();
  let closing = false;

  async function attempt(work: Pending): Promise<void> {
    work.attempts += 1;
    try {
      await (work.ending.verb === 'settle'
        ? ledger.settle(work.holdId, work.ending.charge)
        : ledger.release(work.holdId, work.ending.release));
      pending.delete(work);
      if (work.attempts > 1) {
        events.emit({
          type: 'ledger_settle_recovered',
          atMs: clock.now(),
          holdId: work.holdId,
          attempts: work.attempts,
        });
      }
    } catch (error) {
      failed(work, error);
    }
  }

  function failed(work: Pending, error: unknown): void {
    const hopeless = isLedgerError(error) && error.reason !== 'ledger_timeout';
    const final = hopeless || closing || work.attempts >= MAX_ATTEMPTS || pending.size > MAX_PENDING;
    report(work, error, final);
    if (final) {
      pending.delete(work);
      return;
    }
    const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (work.attempts - 1));
    work.cancelTimer = clock.schedule(delayMs, () => void attempt(work), 'background');
  }

  function report({ holdId, requestId, ending, attempts }: Pending, error: unknown, final: boolean): void {
    const { verb } = ending;
    const cost = ending.verb === 'settle' ? ending.charge.cost.toString() : '0';
    logger.error({ error, holdId, requestId, verb, costNanoUsd: cost, final }, 'the ledger could not end a hold');
    const message = error instanceof Error ? error.message : 'unknown error';
    events.emit({
      type: 'ledger_settle_failed',
      atMs: clock.now(),
      requestId,
      holdId,
      verb,
      attempt: attempts,
      final,
      error: message,
    });
  }

  return {
    end(holdId, ending, requestId) {
      const work: Pending = { holdId, ending, requestId, attempts: 0, cancelTimer: () => undefined };
      pending.add(work);
      return attempt(work);
    },
    async close() {
      closing = true;
      for (const work of pending) work.cancelTimer();
      await Promise.all([...pending].map(attempt));
    },
  };
}
