import { GatewayError, isGatewayError } from './gateway-error.js';

/** The ways a ledger refuses an operation; each changes nothing. */
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
  | 'schema_mismatch';

/** A ledger was called with something it must refuse, or after it was closed. Failures of the engine itself are thrown as they come. */
export class LedgerError extends GatewayError {
  override readonly name = 'LedgerError';
  readonly reason: LedgerReason;

  constructor(reason: LedgerReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Narrows to a coded refusal of a ledger operation. */
export function isLedgerError(value: unknown): value is LedgerError {
  return isGatewayError(value) && value.name === 'LedgerError';
}
