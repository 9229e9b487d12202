import { checkLedgerId } from '../base/options/check-argument.js';
import { createOpenState, type MaybePromise, type OpenState } from '../base/options/open-state.js';
import type { LimitReset } from '../base/time/limit-window.js';
import {
  checkAdjustment,
  checkAdmitRequest,
  checkEntryQuery,
  checkExpiry,
  checkGrant,
  checkHoldRequest,
  checkKeyQuery,
  checkRelease,
  checkSettle,
  checkUsageQuery,
} from './check-arguments.js';
import type {
  Adjustment,
  AdmitRequest,
  AdmitResult,
  Applied,
  Charge,
  EntryPage,
  EntryQuery,
  Grant,
  HoldEnding,
  HoldRecord,
  HoldRequest,
  HoldResult,
  KeyTotals,
  Ledger,
  OrganizationTotals,
  RatesUsed,
  Release,
} from './ledger.js';
import type { UsageQuery, UsageRow } from './usage.js';

/** A checked {@link UsageQuery} with its page size. */
export interface CheckedUsageQuery extends UsageQuery {
  readonly limit: number;
}

/** A checked {@link EntryQuery} with its page size. The engine defines the form of the cursor and checks it. */
export interface CheckedEntryQuery extends EntryQuery {
  readonly limit: number;
}

/**
 * The operations of a `Ledger`, with checked arguments and defaults. No operation is called after the ledger was closed. Each operation is one atomic step
 * and returns a result or a promise.
 */
export interface LedgerEngine {
  grant(grant: Grant): MaybePromise<Applied>;
  adjust(adjustment: Adjustment): MaybePromise<Applied>;
  hold(request: HoldRequest): MaybePromise<HoldResult>;
  admit(request: AdmitRequest): MaybePromise<AdmitResult>;
  ratesUsed(request: AdmitRequest): MaybePromise<RatesUsed>;
  settle(holdId: string, charge: Charge): MaybePromise<HoldEnding>;
  release(holdId: string, release: Release): MaybePromise<HoldEnding>;
  expireHolds(nowMs: number): MaybePromise<number>;
  organizationTotals(organizationId: string): MaybePromise<OrganizationTotals>;
  keyTotals(keyId: string, limitReset: LimitReset | null): MaybePromise<KeyTotals>;
  usage(query: CheckedUsageQuery): MaybePromise<readonly UsageRow[]>;
  findHold(holdId: string): MaybePromise<HoldRecord | undefined>;
  /** @throws LedgerError `invalid_cursor`. */
  entries(query: CheckedEntryQuery): MaybePromise<EntryPage>;
  /** Called once, after every operation has ended. */
  close?(): MaybePromise<void>;
}

/**
 * Makes a {@link Ledger} of an engine: checks the arguments, refuses operations after `close`, and lets `close` wait for running operations. So all ledgers
 * refuse the same arguments with the same reasons.
 */
export function createLedger(engine: LedgerEngine): Ledger {
  return checkedLedger(engine, createOpenState());
}

// The operations are async, so that an error of a check becomes a rejection. Each operation is written out: a call through a shared function would cost more
// than the checks of a hold in memory.
/** @param open shared with the other parts of a durable ledger. */
export function checkedLedger(engine: LedgerEngine, open: OpenState): Ledger {
  return {
    async grant(grant) {
      open.check();
      checkGrant(grant);
      return open.during(engine.grant(grant));
    },
    async adjust(adjustment) {
      open.check();
      checkAdjustment(adjustment);
      return open.during(engine.adjust(adjustment));
    },
    async hold(request) {
      open.check();
      checkHoldRequest(request);
      return open.during(engine.hold(request));
    },
    async admit(request) {
      open.check();
      checkAdmitRequest(request);
      return open.during(engine.admit(request));
    },
    async ratesUsed(request) {
      open.check();
      checkAdmitRequest(request);
      return open.during(engine.ratesUsed(request));
    },
    async settle(holdId, charge) {
      open.check();
      checkSettle(holdId, charge);
      return open.during(engine.settle(holdId, charge));
    },
    async release(holdId, release) {
      open.check();
      checkRelease(holdId, release);
      return open.during(engine.release(holdId, release));
    },
    async expireHolds(nowMs) {
      open.check();
      checkExpiry(nowMs);
      return open.during(engine.expireHolds(nowMs));
    },
    async organizationTotals(organizationId) {
      open.check();
      checkLedgerId('organizationId', organizationId);
      return open.during(engine.organizationTotals(organizationId));
    },
    async keyTotals(keyId, limitReset = null) {
      open.check();
      checkKeyQuery(keyId, limitReset);
      return open.during(engine.keyTotals(keyId, limitReset));
    },
    async usage(query) {
      open.check();
      const limit = checkUsageQuery(query);
      return open.during(engine.usage({ ...query, limit }));
    },
    async findHold(holdId) {
      open.check();
      checkLedgerId('holdId', holdId);
      return open.during(engine.findHold(holdId));
    },
    async entries(query = {}) {
      open.check();
      const limit = checkEntryQuery(query);
      return open.during(engine.entries({ ...query, limit }));
    },
    close: () => open.close(() => engine.close?.()),
  };
}
