import type { ApiKey } from '../auth/api-key.js';
import type { EventStream } from '../base/events/events.js';
import { NO_MARKUP } from '../base/money.js';
import { type LimitReset, limitWindowAt } from '../base/time/limit-window.js';
import type { BudgetRefused, Ledger } from '../ledger/ledger.js';
import { type Alert, exhaustedAlert, organizationAlerts, type ThresholdTerms, thresholdAlerts } from './alert.js';
import type { AlertConfig } from './alert-options.js';
import { type AlertPublisherDeps, createAlertPublisher } from './alert-publisher.js';
import { createThrottledChecks } from './throttled-checks.js';

/** Watches budgets, and warns the host when they run out. */
export interface Alerts {
  /** Checks, in the background, the budgets of a caller who was charged. Never throws, never waits. */
  charged(payer: Payer): void;
  /** Publishes, in the background, that a call was refused for want of budget. Never throws, never waits. */
  refused(payer: Pick<Payer, 'id' | 'organizationId'>, refusal: BudgetRefused): void;
  /** Checks the last charges and waits for alerts in delivery, in at most `timeoutMs`. */
  close(): Promise<void>;
}

export interface AlertsDeps extends AlertPublisherDeps, Pick<ThresholdTerms, 'leastPrice'> {
  /** `undefined`: only refused calls and exhausted budgets that warn are published. */
  readonly config: AlertConfig | undefined;
  readonly ledger: Pick<Ledger, 'keyTotals' | 'budgetTotals' | 'organizationTotals'>;
  readonly events: Pick<EventStream, 'deliver' | 'isHeard'>;
  /** Longest duration of `close`. */
  readonly timeoutMs: number;
}

/** An organization that needs no credits has no budget. */
type Payer = Pick<ApiKey, 'id' | 'organizationId' | 'limit' | 'limitReset' | 'budgets' | 'operatorPays'>;

type Refused = Pick<Payer, 'id' | 'organizationId'> & { readonly alert: Alert };

/** How much the clocks of processes and ledgers may differ at the beginning of a window: see `checkKey`. */
const CLOCK_DIFFERENCE_MS = 5_000;
/** The wait before another check of an alert that could not be published. */
const CLAIMED_ELSEWHERE_MS = 10_000;

export function createAlerts({ config, ledger, timeoutMs, leastPrice, ...deps }: AlertsDeps): Alerts {
  const { clock, events, logger } = deps;
  const { thresholds = [], creditsLow = null } = config ?? {};
  const terms = { thresholds, creditsLow, leastPrice };
  // Nothing else tells that a budget that warns is used up.
  const warnTerms = { thresholds: [...new Set([...thresholds, NO_MARKUP])], leastPrice: () => 0n };
  const publisher = createAlertPublisher(deps);
  const keys = throttled(checkKey);
  const budgets = throttled(checkBudgets);
  const organizations = throttled(checkOrganization);
  const exhausted = throttled<Refused>(({ alert }) => publish([alert]));

  /**
   * The ledger counts windows by its own clock. In the first seconds of a window by this process's clock, it may still return the usage of the window
   * before, so the check waits for a few seconds.
   */
  async function checkKey({ id: keyId, organizationId, limit, limitReset }: Payer): Promise<number | null> {
    if (limit === null) return null;
    const nowMs = clock.now();
    const { windowEndsAtMs, tooEarlyMs } = windowOf(limitReset, nowMs);
    if (tooEarlyMs > 0) return tooEarlyMs;
    const { windowUsage: usage } = await ledger.keyTotals(keyId, limitReset);
    const of = { subject: 'key', organizationId, keyId, budget: null } as const;
    return publish(thresholdAlerts(terms, { ...of, usage, limit, windowEndsAtMs }, nowMs));
  }

  /** Reads all budgets of a call at once, for the same reason not before their windows have begun for each clock. */
  async function checkBudgets({ organizationId, budgets: counted = [] }: Payer): Promise<number | null> {
    const nowMs = clock.now();
    const limited = counted.map((budget) => ({ ...budget, ...windowOf(budget.limitReset, nowMs) }));
    const tooEarlyMs = Math.max(...limited.map((each) => each.tooEarlyMs));
    if (tooEarlyMs > 0) return tooEarlyMs;
    const totals = await ledger.budgetTotals(organizationId, counted);
    const alerts = limited.flatMap(({ id: budget, limit, mode, windowEndsAtMs }, index) => {
      const of = { subject: 'budget', organizationId, keyId: null, budget, windowEndsAtMs } as const;
      const usage = totals[index]?.windowUsage ?? 0n;
      return limit === null ? [] : thresholdAlerts(mode === 'warn' ? warnTerms : terms, { ...of, usage, limit }, nowMs);
    });
    return publish(alerts);
  }

  async function checkOrganization({ organizationId }: Payer): Promise<number | null> {
    const totals = await ledger.organizationTotals(organizationId);
    return publish(organizationAlerts(terms, organizationId, { totals, atMs: clock.now() }));
  }

  /** Callers with the same budgets share a check. */
  function requestBudgets(payer: Payer, counted: NonNullable<Payer['budgets']>): void {
    const isWatched = counted.some(({ limit, mode }) => limit !== null && (thresholds.length > 0 || mode === 'warn'));
    if (!isWatched) return;
    budgets.request([payer.organizationId, ...counted.map(({ id }) => id)].join(' '), payer);
  }

  async function publish(alerts: readonly Alert[]): Promise<number | null> {
    let again: number | null = null;
    for (const alert of alerts) if (!(await publisher.publish(alert))) again = CLAIMED_ELSEWHERE_MS;
    return again;
  }

  function throttled<P extends Pick<Payer, 'id' | 'organizationId'>>(check: (payer: P) => Promise<number | null>) {
    return createThrottledChecks<P>({
      clock,
      async check(payer) {
        try {
          return await check(payer);
        } catch (error) {
          const { id: keyId, organizationId } = payer;
          logger.warn({ error, keyId, organizationId }, 'a budget could not be checked: the next call tries again');
          return null;
        }
      },
      refused: () => logger.warn({}, 'too many budgets to check: those of some charges are checked at the next one'),
    });
  }

  return {
    charged(payer) {
      // A process without listeners must not claim alerts.
      if (!events.isHeard()) return;
      if (payer.budgets !== undefined) requestBudgets(payer, payer.budgets);
      if (config === undefined) return;
      if (payer.limit !== null && thresholds.length > 0) keys.request(payer.id, payer);
      if (payer.operatorPays !== true) organizations.request(payer.organizationId, payer);
    },
    refused({ id, organizationId }, refusal) {
      // With the calls in flight ended, the same call may be accepted.
      if (!events.isHeard() || refusal.fitsWithoutHolds) return;
      const alert = exhaustedAlert({ id, organizationId }, refusal, clock.now());
      exhausted.request(alert.name, { id, organizationId, alert });
    },
    async close() {
      await new Promise<void>((resolve) => {
        const cancel = clock.schedule(timeoutMs, resolve, 'background');
        void Promise.all([keys, budgets, organizations, exhausted].map((each) => each.close()))
          .then(() => publisher.idle())
          .then(() => {
            cancel();
            resolve();
          });
      });
      publisher.stop();
    },
  };
}

/** The present window of a limit, and how long to wait for it to have begun by each clock. */
function windowOf(limitReset: LimitReset | null, nowMs: number) {
  if (limitReset === null) return { windowEndsAtMs: null, tooEarlyMs: 0 };
  const { startsAtMs, resetsAtMs } = limitWindowAt(limitReset, nowMs);
  return { windowEndsAtMs: resetsAtMs, tooEarlyMs: startsAtMs + CLOCK_DIFFERENCE_MS - nowMs };
}
