/** Options of earlier builds, by path, and what to do instead. */
export const GONE_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['latencyStore', 'no such option any more: remove it, each process measures latencies by itself'],
  ['implausibleCostFactor', 'no such option any more: remove it, the factor is 20'],
  ['expiryPolicy', 'no such option any more: remove it, holds left behind are always released'],
  ['cache.scope', 'no such option any more: remove it, answers are kept for their organization alone'],
  ['wwwAuthenticate', 'no such option any more: remove it, the header is Bearer realm="searchgate"'],
  ['extensions', 'renamed: use endpoints'],
  ['idempotencyKeepMs', 'renamed: use idempotencyTtlMs'],
  ['keepEndedHoldsMs', 'renamed: use endedHoldRetentionMs'],
  ['random', 'no such option any more: remove it'],
  ['newId', 'no such option any more: remove it'],
]);
