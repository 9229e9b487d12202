import type { UpstreamReason } from '../base/errors/reasons.js';
import type { UpstreamError } from '../base/errors/upstream-error.js';

export interface RetryPolicy {
  /** Upper bound of the first pause; doubled for each further retry. */
  readonly baseDelayMs: number;
  /** No pause is longer; a provider that asks for more is not retried. */
  readonly maxDelayMs: number;
  /** Uniform in [0, 1). */
  random(): number;
}

/**
 * Failures after which the same provider is worth another try. Not among them: timeouts and unusable replies, because the provider may have
 * billed those, and refusals, which would be repeated. A fallback is tried after every failure: another provider may answer what one refused, and find
 * a source where one found none.
 */
const RETRYABLE: ReadonlySet<UpstreamReason> = new Set([
  'upstream_rate_limited',
  'upstream_error',
  'upstream_unreachable',
]);

/**
 * How long to wait before the same provider is tried again (full jitter, at least what `Retry-After` asked for), or `null` when it should not be.
 * @param retries how many retries of this provider came before.
 */
export function retryDelayMs(error: UpstreamError, retries: number, policy: RetryPolicy): number | null {
  if (!RETRYABLE.has(error.reason)) return null;
  const asked = error.retryAfterMs ?? 0;
  if (asked > policy.maxDelayMs) return null;
  const bound = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** retries);
  return Math.max(asked, policy.random() * bound);
}
