import { ConfigurationError } from '@searchgate/core/ledger';

const EXPECTED = 'maxmemory-policy noeviction, or allowEviction: true to insist: else credits and charges can be lost';

/**
 * Checks the reply of the EVICTION script. A policy that only evicts keys with an expiry spares the counters, but not claims of `Idempotency-Key`s: what was asked
 * and paid for could be asked again. So it is refused like the others.
 *
 * @throws ConfigurationError where the server may evict keys, or does not say.
 */
export function checkEviction([maxMemory = '', policy = '']: readonly string[]): void {
  if (maxMemory === '0' || (maxMemory !== '' && policy === 'noeviction')) return;
  const found = maxMemory === '' ? `a server that does not say whether it evicts keys (${policy})` : policy;
  throw new ConfigurationError([{ path: 'redisLedger.client', found, expected: EXPECTED }]);
}
