import type { ApiKey } from '../auth/api-key.js';
import type { EventStream } from '../base/events/events.js';
import { limitWindowAt } from '../base/time/limit-window.js';
import type { BudgetRefused, Ledger } from '../ledger/ledger.js';
import {
  type Alert,
  type Budget,
  exhaustedAlert,
  organizationAlerts,
  type ThresholdTerms,
  thresholdAlerts,
} from './alert.js';
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
  /** `undefined`: only refused calls are published. */
  readonly config: AlertConfig | undefined;
  readonly ledger: Pick<Ledger, 'keyTotals' | 'organizationTotals'>;
  readonly events: Pick<EventStream, 'deliver' | 'isHeard'>;
  /** Longest duration of `close`. */
  readonly timeoutMs: number;
}

/** An organization that needs no credits has no budget. */
type Payer = Pick<ApiKey, 'id' | 'organizationId' | 'limit' | 'limitReset' | 'operatorPays'>;

type Refused = Pick<Payer, 'id' | 'organizationId'> & { readonly alert: Alert };

/** How much the clocks of processes and ledgers may differ at the beginning of a window: see `checkKey`. */
const CLOCK_DIFFERENCE_MS = 5_000;
/** The wait before another check of an alert that could not be published. */
const CLAIMED_ELSEWHERE_MS = 10_000;

const NO_BUDGETS: AlertConfig = { thresholds: [], creditsLow: null };

export function createAlerts({ config = NO_BUDGETS, ledger, timeoutMs, leastPrice, ...deps }: AlertsDeps): Alerts {
  const { clock, events, logger } = deps;
  const terms = { ...config, leastPrice };
  const publisher = createAlertPublisher(deps);
  const keys = throttled(checkKey);
  const organizations = throttled(checkOrganization);
  const exhausted = throttled<Refused>(({ alert }) => publish([alert]));

  /**
   * The ledger counts windows by its own clock. In the first seconds of a window by this process's clock, it may still return the usage of the window
   * before, so the check waits for a few seconds.
   */
  async function checkKey({ id: keyId, organizationId, limit, limitReset }: Payer): Promise<number | null> {
    if (limit === null) return null;
    const nowMs = clock.now();
    const window = limitReset === null ? null : limitWindowAt(limitReset, nowMs);
    const tooEarlyMs = window === null ? 0 : window.startsAtMs + CLOCK_DIFFERENCE_MS - nowMs;
    if (tooEarlyMs > 0) return tooEarlyMs;
    const { windowUsage: usage } = await ledger.keyTotals(keyId, limitReset);
    const windowEndsAtMs = window?.resetsAtMs ?? null;
    const budget: Budget = { subject: 'key', organizationId, keyId, usage, limit, windowEndsAtMs };
    return publish(thresholdAlerts(terms, budget, nowMs));
  }

  async function checkOrganization({ organizationId }: Payer): Promise<number | null> {
    const totals = await ledger.organizationTotals(organizationId);
    return publish(organizationAlerts(terms, organizationId, { totals, atMs: clock.now() }));
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
      if (payer.limit !== null && config.thresholds.length > 0) keys.request(payer.id, payer);
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
        void Promise.all([keys, organizations, exhausted].map((each) => each.close()))
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
