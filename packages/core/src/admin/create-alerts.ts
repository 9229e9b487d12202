import type { EventStream } from '../base/events/events.js';
import type { BudgetRefused } from '../ledger/ledger.js';
import { type Alert, exhaustedAlert, type ThresholdTerms } from './alert.js';
import type { AlertConfig } from './alert-options.js';
import { type AlertPublisherDeps, createAlertPublisher } from './alert-publisher.js';
import { createDueAlerts, type DueAlertsDeps, type Payer } from './due-alerts.js';
import { createThrottledChecks } from './throttled-checks.js';

/** Watches budgets, and warns the host when they run out. */
export type Alerts = ReturnType<typeof createAlerts>;

export interface AlertsDeps extends AlertPublisherDeps, Pick<ThresholdTerms, 'leastPrice'> {
  /** `undefined`: only refused calls and exhausted budgets that warn are published. */
  readonly config: AlertConfig | undefined;
  readonly ledger: DueAlertsDeps['ledger'];
  readonly events: Pick<EventStream, 'deliver' | 'isHeard'>;
  /** Longest duration of `close`. */
  readonly timeoutMs: number;
}

type Refused = Pick<Payer, 'id' | 'organizationId'> & { readonly alert: Alert };

/** The wait before another check of an alert that could not be published. */
const CLAIMED_ELSEWHERE_MS = 10_000;

export function createAlerts({ config, ledger, timeoutMs, leastPrice, ...deps }: AlertsDeps) {
  const { clock, events, logger } = deps;
  const { thresholds = [], creditsLow = null } = config ?? {};
  const due = createDueAlerts({ ...deps, ledger, terms: { thresholds, creditsLow, leastPrice } });
  const publisher = createAlertPublisher(deps);
  const keys = throttled(async (payer: Payer) => publish(await due.ofKey(payer)));
  const budgets = throttled(async (payer: Payer) => publish(await due.ofBudgets(payer)));
  const organizations = throttled(async (payer: Payer) => publish(await due.ofOrganization(payer)));
  const exhausted = throttled<Refused>(({ alert }) => publish([alert]));

  /** Callers with the same budgets share a check. */
  function requestBudgets(payer: Payer, counted: NonNullable<Payer['budgets']>): void {
    const isWatched = counted.some(({ limit, mode }) => limit !== null && (thresholds.length > 0 || mode === 'warn'));
    if (!isWatched) return;
    budgets.request([payer.organizationId, ...counted.map(({ id }) => id)].join(' '), payer);
  }

  /** @returns when to check again. */
  async function publish(alerts: readonly Alert[] | number): Promise<number | null> {
    if (typeof alerts === 'number') return alerts;
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
    /** Checks, in the background, the budgets of a caller who was charged. Never throws, never waits. */
    charged(payer: Payer): void {
      // A process without listeners must not claim alerts.
      if (!events.isHeard()) return;
      if (payer.budgets !== undefined) requestBudgets(payer, payer.budgets);
      if (config === undefined) return;
      if (payer.limit !== null && thresholds.length > 0) keys.request(payer.id, payer);
      if (payer.operatorPays !== true) organizations.request(payer.organizationId, payer);
    },
    /** Publishes, in the background, that a call was refused for want of budget. Never throws, never waits. */
    refused({ id, organizationId }: Pick<Payer, 'id' | 'organizationId'>, refusal: BudgetRefused): void {
      // With the calls in flight ended, the same call may be accepted.
      if (!events.isHeard() || refusal.fitsWithoutHolds) return;
      const alert = exhaustedAlert({ id, organizationId }, refusal, clock.now());
      exhausted.request(alert.name, { id, organizationId, alert });
    },
    /** Checks the last charges and waits for alerts in delivery, in at most `timeoutMs`. */
    async close(): Promise<void> {
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
