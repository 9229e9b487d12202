import type { ApiKey } from '../auth/api-key.js';
import { type RateLimit, rateRemaining } from '../base/time/rate-limit.js';
import type { CallerLimits } from '../call/caller-limits.js';
import type { Ledger } from '../ledger/ledger.js';
import { type KeySpending, readKeySpending, type SpendingDeps } from './read-key-spending.js';
import { readTotals } from './read-totals.js';

/** A key's spending and limits. */
export interface KeyStanding extends KeySpending {
  readonly rateLimit: RateStanding | null;
  readonly maxConcurrent: number | null;
}

/** A rate limit, and how many more requests fit now. */
export interface RateStanding extends RateLimit {
  readonly remaining: number;
}

export interface KeyStandingDeps extends SpendingDeps {
  readonly ledger: SpendingDeps['ledger'] & Pick<Ledger, 'ratesUsed'>;
  limitsOf(apiKey: ApiKey): CallerLimits;
}

/** @throws RequestError `ledger_unavailable`. */
export async function readKeyStanding(deps: KeyStandingDeps, apiKey: ApiKey): Promise<KeyStanding> {
  const { keyRateLimit, keyMaxConcurrent } = deps.limitsOf(apiKey);
  const [spending, rateLimit] = await Promise.all([
    readKeySpending(deps, apiKey),
    keyRateLimit == null ? null : readRate(deps, apiKey, keyRateLimit),
  ]);
  return { ...spending, rateLimit, maxConcurrent: keyMaxConcurrent ?? null };
}

async function readRate(
  { ledger, logger }: KeyStandingDeps,
  { id: keyId, organizationId }: ApiKey,
  keyRateLimit: RateLimit,
): Promise<RateStanding> {
  const used = await readTotals(ledger.ratesUsed({ keyId, organizationId, keyRateLimit }), logger);
  return { ...keyRateLimit, remaining: rateRemaining(used.key ?? 0, keyRateLimit) };
}
