const BRAND = Symbol.for('searchgate.error');

/**
 * Base class of every error that this package throws on purpose. {@link isGatewayError} recognizes such errors, also if the ESM and the CommonJS copy of
 * the package are both loaded.
 */
export abstract class GatewayError extends Error {
  readonly [BRAND] = true;
  /** A stable code of the error. */
  abstract readonly reason: string;

  /** Plain JSON that never contains a bigint (amounts are decimal strings), a stack or a cause. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, reason: this.reason, message: this.message };
  }
}

/** Whether a value is an error of this package, of any copy of the package. */
export function isGatewayError(value: unknown): value is GatewayError {
  return typeof value === 'object' && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
}

/** Converts amounts to decimal strings, at any depth of plain objects. */
export function bigintsToStrings(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, bigintsToStrings(entry)]));
}
