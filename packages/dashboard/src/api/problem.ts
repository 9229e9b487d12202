import { isRequestError } from '@searchgate/core';
import { isLedgerError, type LedgerReason } from '@searchgate/core/ledger';

/** What the page gets instead of what it asked for. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly field: string | null;

  constructor(status: number, message: string, field: string | null = null) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** What does not exist and what is another's look the same. */
export function notFound(): Problem {
  return new Problem(404, 'There is nothing of this name.');
}

const STATUSES: { readonly [R in LedgerReason]?: number } = {
  invalid_amount: 400,
  invalid_id: 400,
  invalid_argument: 400,
  invalid_cursor: 400,
  unknown_key: 404,
  unknown_organization: 404,
  duplicate_grant: 409,
  duplicate_key: 409,
};

/** A refusal as a problem; `undefined` for a failure. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (isRequestError(error)) return new Problem(error.status, error.message);
  const status = isLedgerError(error) ? STATUSES[error.reason] : undefined;
  if (!isLedgerError(error) || status === undefined) return undefined;
  // These messages begin with the name of the field.
  return status === 404 ? notFound() : new Problem(status, error.message, /^(\w+):/.exec(error.message)?.[1] ?? null);
}
