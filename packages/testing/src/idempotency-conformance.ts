import { registerBadClaims } from './idempotency/bad-claims.js';
import { registerClaiming } from './idempotency/claiming.js';
import { registerEnding } from './idempotency/ending.js';
import { createIdempotencySuite, type IdempotencyConformanceOptions } from './idempotency/idempotency-suite.js';
import { registerSharing } from './idempotency/sharing.js';

/**
 * The contract of `IdempotencyStore` as tests. A store needs only its `create` to be tested:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * idempotencyConformance({ describe, it, create: createMyStore, supports: { connections: true, reopen: true } });
 * ```
 *
 * Time passes by the `nowMs` of claims alone, in steps that are far longer than clocks of an engine and a process disagree, so no test waits and
 * none depends on how fast the engine is.
 */
export function idempotencyConformance(options: IdempotencyConformanceOptions): void {
  const suite = createIdempotencySuite(options);
  suite.describe('idempotency contract', () => {
    registerClaiming(suite);
    registerEnding(suite);
    registerBadClaims(suite);
    registerSharing(suite);
  });
}
