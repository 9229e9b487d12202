const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** Whether a caller's `Idempotency-Key` is 1 to 255 printable ASCII characters. */
export function isIdempotencyKey(value: unknown): value is string {
  return typeof value === 'string' && IDEMPOTENCY_KEY.test(value);
}
