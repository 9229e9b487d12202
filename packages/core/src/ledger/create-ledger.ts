import {
  type ArgumentChecks,
  createOpenState,
  type EngineOf,
  type MaybePromise,
  type OpenState,
  wrapOperations,
} from '../base/options/open-state.js';
import type { LimitReset } from '../base/time/limit-window.js';
import { LEDGER_CHECKS } from './check-arguments.js';
import { admitRequest, readRates } from './decide-hold.js';
import type { EntryPage, EntryQuery, KeyTotals, Ledger } from './ledger.js';
import type { LedgerState } from './ledger-state.js';
import {
  applyAdjustment,
  applyGrant,
  placeHold,
  releaseHold,
  settleHold,
  totalsOfBudgets,
  totalsOfKey,
  totalsOfOrganization,
} from './money-operations.js';
import type { UsageQuery, UsageRow } from './usage.js';

/** A checked {@link UsageQuery} with its page size. */
export interface CheckedUsageQuery extends UsageQuery {
  /** 1 to 1,000. */
  readonly limit: number;
}

/** A checked {@link EntryQuery} with its page size. The engine defines the form of the cursor and checks it. */
export interface CheckedEntryQuery extends EntryQuery {
  /** 1 to 1,000. */
  readonly limit: number;
}

/**
 * The operations of a `Ledger`, with checked arguments and defaults. No operation is called after the ledger was closed. Each operation is one atomic step
 * and returns a result or a promise.
 */
export interface LedgerEngine extends EngineOf<Omit<Operations, 'keyTotals' | 'usage' | 'entries'>> {
  /** All zero for an unknown key. */
  keyTotals(keyId: string, limitReset: LimitReset | null): MaybePromise<KeyTotals>;
  /** In the order of the bytes of the groups. */
  usage(query: CheckedUsageQuery): MaybePromise<readonly UsageRow[]>;
  /** @throws LedgerError `invalid_cursor`. */
  entries(query: CheckedEntryQuery): MaybePromise<EntryPage>;
  /** Called once, after every operation has ended. */
  close?(): MaybePromise<void>;
  /** Whether it decides in this process: its operations return and never wait. A gateway asks it without promises. @default false */
  readonly isImmediate?: boolean | undefined;
}

/** The operations of a {@link LedgerEngine} over a {@link LedgerState}. */
type StateOperations = Omit<LedgerEngine, 'expireHolds' | 'usage' | 'findHold' | 'entries' | 'close' | 'isImmediate'>;

/** Runs an operation over a state, as one atomic step. */
type OverState = <Values extends readonly unknown[], Result>(
  operation: (state: LedgerState, ...values: Values) => Result,
  ...values: Values
) => MaybePromise<Result>;

/**
 * The money operations of an engine that decides in this process.
 *
 * @param write runs an operation that changes the state.
 * @param read runs an operation that changes nothing. Default: `write`.
 */
export function stateOperations(write: OverState, read: OverState = write): StateOperations {
  return {
    grant: (grant) => write(applyGrant, grant),
    adjust: (adjustment) => write(applyAdjustment, adjustment),
    hold: (request) => write(placeHold, request),
    admit: (request) => write(admitRequest, request),
    ratesUsed: (request) => read(readRates, request),
    settle: (holdId, charge) => write(settleHold, holdId, charge),
    release: (holdId, release) => write(releaseHold, holdId, release),
    organizationTotals: (organizationId) => read(totalsOfOrganization, organizationId),
    keyTotals: (keyId, limitReset) => read(totalsOfKey, keyId, limitReset),
    budgetTotals: (organizationId, budgets) => read(totalsOfBudgets, organizationId, budgets),
  };
}

/** The operations of a ledger that a wrapper passes on. */
type Operations = Omit<Ledger, 'close' | 'idempotency' | 'instances'>;

export const LEDGER_OPERATIONS = Object.keys(LEDGER_CHECKS) as (keyof Operations)[];

/**
 * Makes a {@link Ledger} of an engine: checks the arguments, refuses operations after `close`, and lets `close` wait for running operations. So all ledgers
 * refuse the same arguments with the same reasons.
 *
 * @param open the open state that the ledger shares with other parts of its engine. Default: its own.
 */
export function createLedger(engine: LedgerEngine, open: OpenState = createOpenState()): Ledger {
  const checks: ArgumentChecks<Operations, LedgerEngine> = LEDGER_CHECKS;
  const { isImmediate } = engine;
  return {
    ...wrapOperations<Operations>(engine, LEDGER_OPERATIONS, { interceptor: open, checks, isImmediate }),
    close: () => open.close(() => engine.close?.()),
  };
}
