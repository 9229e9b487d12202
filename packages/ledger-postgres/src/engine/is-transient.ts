import { isGatewayError } from '@searchgate/core/ledger';

/**
 * SQLSTATE codes after which the same statement may succeed: https://www.postgresql.org/docs/15/errcodes-appendix.html (2026-11-21).
 * The class 08 (connection exceptions) is transient as a whole.
 */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  '25006', // read_only_sql_transaction: a failover is under way, and this connection leads to a server that is no primary
  '25P03', // idle_in_transaction_session_timeout
  '40001', // serialization_failure
  '40003', // statement_completion_unknown
  '40P01', // deadlock_detected
  '53300', // too_many_connections
  '55P03', // lock_not_available
  '57P01', // admin_shutdown: also pg_terminate_backend
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: starting up or shutting down
  '57P05', // idle_session_timeout
]);
/** All have a digit, which tells them from `EPIPE`. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/**
 * Whether a statement may succeed when it is sent again. What comes without an SQLSTATE comes from the connection: the driver gives such errors
 * codes of the operating system (`ECONNRESET`) or none at all ("Connection terminated unexpectedly").
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error) || isGatewayError(error) || error instanceof TypeError || error instanceof RangeError) {
    return false;
  }
  const code = codeOf(error);
  if (code === undefined || !SQLSTATE.test(code)) return true;
  return code.startsWith('08') || TRANSIENT_CODES.has(code);
}

/** The SQLSTATE or system code of an error, where it has one. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}
