import { LedgerError } from '../base/errors/ledger-error.js';
import {
  type Interceptor,
  immediateOf,
  type MaybePromise,
  withImmediate,
  wrapOperations,
} from '../base/options/open-state.js';
import type { Clock } from '../base/time/clock.js';
import { createTimeLimit, type TimeLimit } from '../base/time/deadline.js';
import { STORE_OPERATIONS } from './create-idempotency-store.js';
import { LEDGER_OPERATIONS } from './create-ledger.js';
import type { ClaimRequest, ClaimResult, IdempotencyStore } from './idempotency-store.js';
import type { HoldRequest, HoldResult, Ledger } from './ledger.js';

/*
 * The time limit of a gateway around a ledger and a store. The limit is a second layer around `createLedger`: a ledger also works without a gateway, and the
 * gateway takes every object with the operations of the port, behind which there may be no engine.
 */

export interface TimeLimitOptions {
  /** Longest wait for any one operation. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Called with the end of every operation: its error, or `null`. */
  readonly ended?: ((error: Error | null, result?: unknown) => void) | undefined;
  /** Called also with the error of every write, and with `null` for a hold that was placed. */
  readonly wrote?: ((error: Error | null) => void) | undefined;
}

function createLimit(subject: string, { timeoutMs, clock, ended }: Omit<TimeLimitOptions, 'wrote'>): TimeLimit {
  const timedOut = () => new LedgerError('ledger_timeout', `the ${subject} did not answer within ${timeoutMs} ms`);
  return createTimeLimit(clock, timeoutMs, { timedOut, ended });
}

/** An admission is left out, being the probe. */
const WRITES = ['grant', 'adjust', 'settle', 'release', 'expireHolds'] as const;

/** Undoes a result that comes too late. Where this fails, the hold or the claim expires. */
function undoLate<T>(work: Promise<T>, undo: (late: T) => unknown): void {
  const undoing = async () => undo(await work);
  undoing().catch(() => undefined);
}

/** Lets no operation take longer than the time limit. */
function interceptorOf(limit: TimeLimit): Interceptor {
  return { during: (operation) => limit.wait(operation as Promise<never>) };
}

/**
 * Puts a time limit on the operations of a ledger, so that an engine that hangs cannot hang the requests: past it the operation rejects with
 * `LedgerError` `ledger_timeout`. Errors of the engine pass through unchanged, also those it throws instead of rejecting.
 *
 * A hold that succeeds after its time is up is released in the background (reason `hold_timed_out`), since its caller has
 * been refused by then; where even that fails, the hold expires. An engine that decides in this process is asked for holds and settles without a promise and without a limit. Every other operation may safely succeed late, because grants, adjustments and
 * endings are idempotent by their ids, and an admission only counts against a rate. `close` has no limit: it flushes.
 */
export function withTimeLimit(ledger: Ledger, options: TimeLimitOptions): Ledger {
  const { ended, wrote } = options;
  const limit = createLimit('ledger', options);
  const written = (error: Error | null, result?: unknown): void => {
    ended?.(error);
    if (error !== null || (result as Partial<HoldResult>).status === 'held') wrote?.(error);
  };
  const writing = createLimit('ledger', { ...options, ended: written });
  const atOnce = <Result>(operation: () => Result): Result => {
    try {
      const result = operation();
      written(null, result);
      return result;
    } catch (error) {
      written(error as Error);
      throw error;
    }
  };
  const guarded = wrapOperations<Pick<Ledger, (typeof WRITES)[number]>>(ledger, WRITES, {
    interceptor: interceptorOf(writing),
  });

  // Looked up at each call: a host may put its own function into a ledger that is in use.
  function hold(request: HoldRequest): MaybePromise<HoldResult> {
    const place = immediateOf(ledger.hold);
    if (place !== undefined) return atOnce(() => place(request));
    const placing = async () => ledger.hold(request);
    return writing.wait(placing(), (late) =>
      undoLate(late, ({ status }) => status === 'held' && ledger.release(request.holdId, { reason: 'hold_timed_out' })),
    );
  }
  function settle(...given: Parameters<Ledger['settle']>) {
    const end = immediateOf(ledger.settle);
    return end === undefined ? guarded.settle(...given) : atOnce(() => end(...given));
  }

  return {
    ...wrapOperations<Omit<Ledger, 'close'>>(ledger, LEDGER_OPERATIONS, { interceptor: interceptorOf(limit) }),
    ...guarded,
    hold: withImmediate(hold),
    settle: withImmediate(settle),
    close: () => ledger.close(),
  };
}

/** Longest waits of administration, for each operation: a statement or a list of many pages may take longer. */
const READ_TIMEOUT_MS = 10_000;
/** Erasing many rows takes a while. */
const WRITE_TIMEOUT_MS = 30_000;
const READS =
  /^(?:find|get|list|(?:entries|organizations|organizationTotals|keyTotals|budgetTotals|statistics|usage)$)/;

/**
 * Puts time limits on all operations of ports, of any class, and of the ports inside. Past the limit an operation rejects with `LedgerError`
 * `ledger_timeout`; a write may still be carried out.
 */
export function portsWithTimeLimits<Ports extends object>(ports: Ports, clock: Clock): Ports {
  const limitOf = (timeoutMs: number) => createLimit('storage', { timeoutMs, clock });
  const [reads, writes] = [limitOf(READ_TIMEOUT_MS), limitOf(WRITE_TIMEOUT_MS)];
  const guard = <Port extends object>(port: Port): Port =>
    // Of an empty object: a proxy of a frozen one may change nothing.
    new Proxy({} as Port, {
      get(_target, name) {
        const value: unknown = Reflect.get(port, name);
        if (typeof value === 'object' && value !== null) return guard(value);
        if (typeof value !== 'function') return value;
        const limit = READS.test(String(name)) ? reads : writes;
        const operation = async (given: unknown[]): Promise<unknown> => Reflect.apply(value, port, given);
        return async (...given: unknown[]) => limit.wait(operation(given));
      },
    });
  return guard(ports);
}

/**
 * Puts a time limit on the operations of a store, as `withTimeLimit` does for a ledger.
 *
 * A caller whose claim ends in an error makes no call, yet the claim may have arrived. So the claim is freed in the background, once; where even that
 * fails, the claim expires. Completing and freeing may safely succeed late, because they act on their own claim alone. Erasing has no limit: it walks all names.
 */
export function storeWithTimeLimit(store: IdempotencyStore, options: TimeLimitOptions): IdempotencyStore {
  const limit = createLimit('idempotency store', options);

  async function free(request: ClaimRequest): Promise<void> {
    await store.free(request);
  }

  /** An error may have come after the claim. */
  async function claim(request: ClaimRequest): Promise<ClaimResult> {
    try {
      return await store.claim(request);
    } catch (error) {
      free(request).catch(() => undefined);
      throw error;
    }
  }

  return {
    ...wrapOperations<IdempotencyStore>(store, STORE_OPERATIONS, { interceptor: interceptorOf(limit) }),
    ...(store.erase !== undefined && { erase: store.erase.bind(store) }),
    claim: (request) =>
      limit.wait(claim(request), (claiming) =>
        undoLate(claiming, ({ status }) => status === 'claimed' && free(request)),
      ),
  };
}
