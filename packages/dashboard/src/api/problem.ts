import { isRequestError } from '@searchgate/core';
import { type AdministrationReason, isAdministrationError } from '@searchgate/core/administration';
import { snakeName } from './wire-names.js';

/** An error for the page. */
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

/** Unknown ids and ids of other organizations look the same. */
export function notFound(): Problem {
  return new Problem(404, 'There is nothing of this name.');
}

const STATUSES: { readonly [R in AdministrationReason]: number } = {
  invalid_amount: 400,
  invalid_id: 400,
  invalid_argument: 400,
  invalid_cursor: 400,
  unknown_key: 404,
  unknown_organization: 404,
  // Of a key: a path that has one is looked up first.
  unknown_budget: 400,
  budget_in_use: 409,
  schema_window_open: 409,
  duplicate_grant: 409,
  duplicate_adjustment: 409,
  // The routes of a host without keys offer nothing that is refused so.
  no_key_registry: 404,
};

/** The names of core's fields in query strings. */
const PARAMETERS: Partial<Record<string, string>> = { organizationId: 'organization', keyId: 'key' };

/** Fields that core's messages name. */
const NAMED =
  /\b(organizationId|limitReset|allowedModels|rateLimit|periodMs|maxConcurrent|expiresAt|grantId|adjustmentId)\b/g;

/** Turns a refusal into a problem that names the field as sent; `undefined` for a failure. */
export function problemOf(error: unknown, sent: 'query' | 'body'): Problem | undefined {
  if (error instanceof Problem) return error;
  if (isRequestError(error)) return new Problem(error.status, error.message);
  if (!isAdministrationError(error)) return undefined;
  const status = STATUSES[error.reason];
  if (status === 404) return notFound();
  // Core's messages about a field begin with its name.
  const [, name, message] = /^(\w+): (.*)$/s.exec(error.message) ?? [];
  if (name === undefined || message === undefined)
    return new Problem(status, error.message.replaceAll(NAMED, snakeName));
  return new Problem(
    status,
    message.replaceAll(NAMED, snakeName),
    (sent === 'query' ? PARAMETERS[name] : undefined) ?? (name === 'providerId' ? 'provider' : snakeName(name)),
  );
}
