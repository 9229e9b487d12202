import type { GatewayOptions } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import { LIMIT_NAMES, parseConfig } from '../src/config-file.js';

const INSTEAD = 'instead: ';
/** Where an operator sets each option of `createGateway`: a field of the file, or the reason why there is none. An option without an entry does not compile. */
const PLACES: Record<keyof GatewayOptions, 'field' | 'limits' | `${typeof INSTEAD}${string}`> = {
  providers: 'field',
  ledger: 'instead: SEARCHGATE_LEDGER',
  apiKeys: 'field',
  authenticate: 'instead: none; a host with callers of its own mounts a gateway',
  clientAddress: 'instead: trustProxy',
  endpoints: 'field',
  aliases: 'field',
  fallbacks: 'field',
  groups: 'field',
  fallbackOn: 'field',
  hedging: 'field',
  models: 'field',
  markup: 'field',
  organizationMarkups: 'field',
  overrun: 'field',
  defaultLimits: 'field',
  organizationLimits: 'field',
  alerts: 'field',
  byok: 'field',
  cache: 'field',
  coalescing: 'field',
  requestLog: 'field',
  authFailureLimit: 'limits',
  maxInFlight: 'limits',
  maxInFlightPerKey: 'limits',
  maxBodyReads: 'limits',
  maxBodyReadsPerKey: 'limits',
  maxBodyBytes: 'limits',
  bodyTimeoutMs: 'limits',
  maxQueryCharacters: 'limits',
  maxUpstreamBytes: 'limits',
  streamKeepAliveMs: 'limits',
  connectTimeoutMs: 'limits',
  maxConnectionsPerProvider: 'limits',
  maxConnectionWaitMs: 'limits',
  maxAttempts: 'limits',
  retryBaseDelayMs: 'limits',
  retryMaxDelayMs: 'limits',
  providerFailureThreshold: 'limits',
  providerCooldownMs: 'limits',
  ledgerTimeoutMs: 'limits',
  keyCacheMaxAgeMs: 'limits',
  keyCacheMaxKeys: 'limits',
  holdGraceMs: 'limits',
  expireHoldsEveryMs: 'limits',
  idempotencyTtlMs: 'limits',
  drainTimeoutMs: 'instead: drainDelayMs; both together are 20 s, before orchestrators kill the process',
  idempotency: 'instead: that of the ledger, which all instances share',
  logger: 'instead: SEARCHGATE_LOG_LEVEL',
  onEvent: 'instead: webhooks, and the log',
  tracer: 'instead: the OTEL_* variables',
  clock: 'instead: none; for tests',
};

describe('an option of createGateway', () => {
  it.each(Object.entries(PLACES).filter(([, place]) => !place.startsWith(INSTEAD)))(
    'is set in the file: %s (%s)',
    (name, place) => {
      const wrong = Symbol('wrong');
      const content = place === 'limits' ? { limits: { [name]: wrong } } : { [name]: wrong };
      // A field that is not known is refused with another message.
      expect(() => parseConfig(content, {})).toThrow(
        new RegExp(`^${place === 'limits' ? 'limits\\.' : ''}${name}: found a symbol`),
      );
      expect(LIMIT_NAMES.has(name)).toBe(place === 'limits');
    },
  );
});
