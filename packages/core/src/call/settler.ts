import { errorMessage } from '../base/errors/error-message.js';
import type { EventStream } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import { immediateOf, type MaybePromise } from '../base/options/open-state.js';
import type { Clock } from '../base/time/clock.js';
import type { Charge, Ledger, Release } from '../ledger/ledger.js';
import type { AnswerRequest } from './answer.js';
import { createBackgroundRetry, type FailedTry, isFinal } from './background-retry.js';

/** The key and the organization that are charged. */
type Payer = Pick<AnswerRequest['apiKey'], 'id' | 'organizationId' | 'limit' | 'limitReset' | 'budgets'>;

/** How a hold ends. */
type Ending =
  | { readonly operation: 'settle'; readonly charge: Charge; readonly payer: Payer }
  | { readonly operation: 'release'; readonly release: Release };

/** Ends every hold, at once or later: an answer that has been paid for is never withheld because the ledger failed. */
export type Settler = ReturnType<typeof createSettler>;

export interface SettlerDeps {
  readonly ledger: Pick<Ledger, 'settle' | 'release'>;
  readonly clock: Clock;
  readonly events: EventStream;
  readonly logger: Logger;
  /** Called after each charge is written. Must not throw. */
  readonly charged: (payer: Payer) => unknown;
}

interface HoldToEnd {
  readonly holdId: string;
  readonly ending: Ending;
  readonly requestId: string;
}

export function createSettler({ ledger, clock, events, logger, charged }: SettlerDeps) {
  let open = 0;
  const settle = immediateOf(ledger.settle) ?? ((...given) => ledger.settle(...given));
  const endings = createBackgroundRetry<HoldToEnd>({
    clock,
    attempt: ({ holdId, ending }) =>
      ending.operation === 'settle' ? settle(holdId, ending.charge) : ledger.release(holdId, ending.release),
    isPermanent: isFinal,
    done: ({ ending }) => ending.operation === 'settle' && charged(ending.payer),
    failed: report,
    recovered({ holdId }, attempts) {
      events.emit({ type: 'ledger_settle_recovered', atMs: clock.now(), holdId, attempts });
    },
  });

  function report({ holdId, requestId, ending }: HoldToEnd, { error, attempts, final }: FailedTry): void {
    const { operation } = ending;
    const cost = ending.operation === 'settle' ? ending.charge.cost.toString() : '0';
    const failure = { holdId, requestId, operation, final };
    logger.error({ error, ...failure, costNanoUsd: cost }, 'the ledger could not end a hold');
    const atMs = clock.now();
    events.emit({ type: 'ledger_settle_failed', atMs, ...failure, attempt: attempts, error: errorMessage(error) });
  }

  return {
    /** Counts a new hold as open, until {@link end}. */
    begin(): void {
      open += 1;
    },
    /**
     * Ends a hold. Never throws and never rejects: when the ledger fails, the hold stays counted and the ending is retried in the background,
     * which is safe because every ending is idempotent by the hold's id.
     */
    end(holdId: string, ending: Ending, requestId: string): MaybePromise<void> {
      open -= 1;
      return endings.run({ holdId, ending, requestId });
    },
    /** Tries all remaining endings once more and stops. Endings that still fail are reported as final. */
    close: () => endings.close(),
    /** The number of holds of calls in flight. */
    get open() {
      return open;
    },
    /** The number of holds whose ending has failed and will be tried again. */
    get waiting() {
      return endings.waiting;
    },
  };
}
