const BRAND = Symbol.for('searchgate.error');

/**
 * Base of every error this package throws on purpose. Recognize one with {@link isGatewayError}, which also works when the
 * ESM and the CommonJS copy of the package are loaded side by side.
 */
export abstract class GatewayError extends Error {
  readonly [BRAND] = true;
  /** The stable word for what happened. */
  abstract readonly reason: string;

  /** Plain JSON that never contains a bigint (amounts are decimal strings), a stack or a cause. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, reason: this.reason, message: this.message };
  }
}

/** Tells whether a value is an error of this package, whichever copy of the package made it. */
export function isGatewayError(value: unknown): value is GatewayError {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
}

/** Decimal strings for amounts, at any depth of plain objects. */
export function bigintsToStrings(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, bigintsToStrings(entry)]));
}
