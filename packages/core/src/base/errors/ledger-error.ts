import { GatewayError, isGatewayError } from './gateway-error.js';

/** The reasons for which a ledger refuses an operation. A refused operation changes nothing. */
export type LedgerReason =
  | 'ledger_closed'
  | 'ledger_timeout'
  | 'unknown_hold'
  | 'duplicate_hold'
  | 'duplicate_grant'
  | 'duplicate_adjustment'
  | 'invalid_amount'
  | 'invalid_id'
  | 'invalid_argument'
  | 'invalid_cursor'
  | 'duplicate_key'
  | 'unknown_key'
  | 'unknown_organization'
  | 'unknown_budget'
  | 'budget_in_use'
  | 'too_many_budgets'
  | 'schema_window_open'
  | 'schema_mismatch';

/** A ledger refused an operation, or was called after it was closed. Errors of the engine are thrown unchanged. */
export class LedgerError extends GatewayError {
  override readonly name = 'LedgerError';
  /** Its stable name: branch on it. */
  readonly reason: LedgerReason;

  constructor(reason: LedgerReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Narrows a value to a {@link LedgerError}. */
export function isLedgerError(value: unknown): value is LedgerError {
  return isGatewayError(value) && value.name === 'LedgerError';
}
