import { GatewayError, isGatewayError } from '../base/errors/gateway-error.js';
import { isLedgerError } from '../base/errors/ledger-error.js';

/** Why administration refuses an operation. */
const REASONS = [
  'invalid_id',
  'invalid_amount',
  'invalid_argument',
  'invalid_cursor',
  'unknown_organization',
  'unknown_key',
  'unknown_budget',
  'budget_in_use',
  'schema_window_open',
  'duplicate_grant',
  'duplicate_adjustment',
  'no_key_registry',
] as const;

/** The stable name of a refusal: branch on it. */
export type AdministrationReason = (typeof REASONS)[number];

/** Administration refused an operation and changed nothing. Failures of the storage are thrown unchanged. */
export class AdministrationError extends GatewayError {
  override readonly name = 'AdministrationError';
  /** Why nothing was changed. */
  readonly reason: AdministrationReason;

  constructor(reason: AdministrationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Narrows to a refusal of administration. */
export function isAdministrationError(value: unknown): value is AdministrationError {
  return isGatewayError(value) && value.name === 'AdministrationError';
}

/** Wraps operations: turns refusals of the ledger and of the key registry into an {@link AdministrationError}. */
export function withAdministrationErrors<T extends object>(operations: T): T {
  const wrapped = Object.entries(operations).map(([name, operation]) => [
    name,
    async (...given: unknown[]): Promise<unknown> => {
      try {
        return await (operation as (...all: unknown[]) => unknown)(...given);
      } catch (error) {
        throw refusalOf(error);
      }
    },
  ]);
  return Object.fromEntries(wrapped) as T;
}

function refusalOf(error: unknown): unknown {
  const reason = isLedgerError(error) ? REASONS.find((each) => each === error.reason) : undefined;
  return reason === undefined ? error : new AdministrationError(reason, (error as Error).message);
}

/** Makes operations that always refuse, because they need a key registry. @param port the name of the object that has them. */
export function refuseWithoutRegistry<Name extends string>(port: string, names: readonly Name[]) {
  const operations = names.map((name) => [
    name,
    async (): Promise<never> => {
      const why = `there is no key registry here: the gateway's host authenticates callers`;
      const message = `${port}.${name}: ${why}. Give createAdministration apiKeys to manage keys`;
      throw new AdministrationError('no_key_registry', message);
    },
  ]);
  return Object.fromEntries(operations) as Record<Name, () => Promise<never>>;
}
