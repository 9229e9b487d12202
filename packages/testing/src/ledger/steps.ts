import {
  type Adjustment,
  type Charge,
  type Grant,
  type HoldRequest,
  isLedgerError,
  type Ledger,
  type LedgerReason,
  type Release,
} from '@searchgate/core/ledger';

/** A changing operation as plain data, for random histories. */
export type Step =
  | { readonly operation: 'grant'; readonly grant: Grant }
  | { readonly operation: 'adjust'; readonly adjustment: Adjustment }
  | { readonly operation: 'hold'; readonly request: HoldRequest }
  | { readonly operation: 'settle'; readonly holdId: string; readonly charge: Charge }
  | { readonly operation: 'release'; readonly holdId: string; readonly release: Release }
  | { readonly operation: 'expire'; readonly nowMs: number };

/** The outcome of a step: the operation's result, or its code of refusal. */
export type Outcome = { readonly result: unknown } | { readonly refusal: LedgerReason };

/** Runs a step. Any other error fails the test. */
export async function take(ledger: Ledger, step: Step): Promise<Outcome> {
  try {
    return { result: await call(ledger, step) };
  } catch (error) {
    if (isLedgerError(error)) return { refusal: error.reason };
    throw error;
  }
}

function call(ledger: Ledger, step: Step): Promise<unknown> {
  switch (step.operation) {
    case 'grant':
      return ledger.grant(step.grant);
    case 'adjust':
      return ledger.adjust(step.adjustment);
    case 'hold':
      return ledger.hold(step.request);
    case 'settle':
      return ledger.settle(step.holdId, step.charge);
    case 'release':
      return ledger.release(step.holdId, step.release);
    case 'expire':
      return ledger.expireHolds(step.nowMs);
  }
}
