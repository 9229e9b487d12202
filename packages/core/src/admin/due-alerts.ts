import type { ApiKey } from '../auth/api-key.js';
import { NO_MARKUP } from '../base/money.js';
import type { Clock } from '../base/time/clock.js';
import { type LimitReset, limitWindowAt } from '../base/time/limit-window.js';
import type { Ledger } from '../ledger/ledger.js';
import { type Alert, organizationAlerts, type ThresholdTerms, thresholdAlerts } from './alert.js';
import type { AlertConfig } from './alert-options.js';

/** An organization that needs no credits has no budget. */
export type Payer = Pick<ApiKey, 'id' | 'organizationId' | 'limit' | 'limitReset' | 'budgets' | 'operatorPays'>;

/** Alerts, published before or not; or the milliseconds to wait before the ledger is read. */
type Due = readonly Alert[] | number;

export interface DueAlertsDeps {
  readonly terms: ThresholdTerms & Pick<AlertConfig, 'creditsLow'>;
  readonly ledger: Pick<Ledger, 'keyTotals' | 'budgetTotals' | 'organizationTotals'>;
  readonly clock: Clock;
}

/** How much the clocks of processes and ledgers may differ at the beginning of a window: see `windowOf`. */
const CLOCK_DIFFERENCE_MS = 5_000;

/** Finds the alerts of a caller who was charged. */
export function createDueAlerts({ terms, ledger, clock }: DueAlertsDeps) {
  // Nothing else tells that a budget that warns is used up.
  const warnTerms = { thresholds: [...new Set([...terms.thresholds, NO_MARKUP])], leastPrice: () => 0n };
  return {
    async ofKey({ id: keyId, organizationId, limit, limitReset }: Payer): Promise<Due> {
      if (limit === null) return [];
      const nowMs = clock.now();
      const { windowEndsAtMs, tooEarlyMs } = windowOf(limitReset, nowMs);
      if (tooEarlyMs > 0) return tooEarlyMs;
      const { windowUsage: usage } = await ledger.keyTotals(keyId, limitReset);
      const of = { subject: 'key', organizationId, keyId, budget: null } as const;
      return thresholdAlerts(terms, { ...of, usage, limit, windowEndsAtMs }, nowMs);
    },
    /** Reads all budgets of the caller at once. */
    async ofBudgets({ organizationId, budgets = [] }: Payer): Promise<Due> {
      const nowMs = clock.now();
      const windows = budgets.map(({ limitReset }) => windowOf(limitReset, nowMs));
      const tooEarlyMs = Math.max(...windows.map((each) => each.tooEarlyMs));
      if (tooEarlyMs > 0) return tooEarlyMs;
      const totals = await ledger.budgetTotals(organizationId, budgets);
      return budgets.flatMap(({ id: budget, limit, mode }, index) => {
        const { windowUsage: usage = 0n } = totals[index] ?? {};
        const { windowEndsAtMs = null } = windows[index] ?? {};
        const of = { subject: 'budget', organizationId, keyId: null, budget, windowEndsAtMs } as const;
        if (limit === null) return [];
        return thresholdAlerts(mode === 'warn' ? warnTerms : terms, { ...of, usage, limit }, nowMs);
      });
    },
    async ofOrganization({ organizationId }: Payer): Promise<Due> {
      const totals = await ledger.organizationTotals(organizationId);
      return organizationAlerts(terms, organizationId, { totals, atMs: clock.now() });
    },
  };
}

/**
 * The present window of a limit. The ledger counts windows by its own clock. In the first seconds of a window by this process's clock, it may still return the
 * usage of the window before, so a check has to wait for a few seconds.
 */
function windowOf(limitReset: LimitReset | null, nowMs: number) {
  if (limitReset === null) return { windowEndsAtMs: null, tooEarlyMs: 0 };
  const { startsAtMs, resetsAtMs } = limitWindowAt(limitReset, nowMs);
  return { windowEndsAtMs: resetsAtMs, tooEarlyMs: startsAtMs + CLOCK_DIFFERENCE_MS - nowMs };
}
