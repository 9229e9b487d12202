import { createHash } from 'node:crypto';
import type { BudgetThreshold, CreditsLow } from '../base/events/alert-events.js';
import { formatUsd, multiply, type NanoUsd } from '../base/money.js';
import type { LimitWindow } from '../base/time/limit-window.js';
import type { OrganizationTotals } from '../ledger/ledger.js';
import type { AlertConfig } from './alert-options.js';

/** An event that is emitted once. */
export interface Alert {
  /** The same in every process. */
  readonly name: string;
  /** Until when the emission is remembered. */
  readonly keepUntilMs: number;
  readonly event: BudgetThreshold | CreditsLow;
}

/** A key's usage and limit. */
export interface KeyBudget {
  readonly keyId: string;
  readonly organizationId: string;
  readonly usage: NanoUsd;
  readonly limit: NanoUsd;
  /** `null` for a limit that never resets. */
  readonly window: LimitWindow | null;
}

const DAY_MS = 86_400_000;
/** For a budget without a window: the alert may be emitted again after a year. */
const ENDLESS_MS = 366 * DAY_MS;

/** Every threshold that the usage of a key has reached. A changed limit counts as a new budget. */
export function keyAlerts(thresholds: AlertConfig['thresholds'], budget: KeyBudget, atMs: number): Alert[] {
  const { keyId, organizationId, usage, limit, window } = budget;
  const windowEndsAtMs = window?.resetsAtMs ?? null;
  return reached(thresholds, usage, limit).map((threshold) =>
    alert(`budget_threshold key ${keyId} ${threshold} ${limit} ${window?.startsAtMs ?? 'always'}`, {
      // By the clocks of other processes, the window may end later than by this process's clock.
      keepUntilMs: windowEndsAtMs === null ? atMs + ENDLESS_MS : windowEndsAtMs + DAY_MS,
      event: {
        type: 'budget_threshold',
        atMs,
        subject: 'key',
        organizationId,
        keyId,
        threshold,
        usage,
        limit,
        windowEndsAtMs,
      },
    }),
  );
}

/** Every threshold that the usage of an organization has reached, and whether its balance is low. Changed credits count as a new budget. */
export function organizationAlerts(
  { thresholds, creditsLow }: AlertConfig,
  organizationId: string,
  { totals: { credits, usage }, atMs }: { readonly totals: OrganizationTotals; readonly atMs: number },
): Alert[] {
  const keepUntilMs = atMs + ENDLESS_MS;
  const alerts = reached(thresholds, usage, credits).map((threshold) =>
    alert(`budget_threshold organization ${organizationId} ${threshold} ${credits}`, {
      keepUntilMs,
      event: {
        type: 'budget_threshold',
        atMs,
        subject: 'organization',
        organizationId,
        keyId: null,
        threshold,
        usage,
        limit: credits,
        windowEndsAtMs: null,
      },
    }),
  );
  const balance = credits - usage;
  if (creditsLow === null || balance >= creditsLow) return alerts;
  const event = { type: 'credits_low', atMs, organizationId, balance, below: creditsLow } as const;
  return [...alerts, alert(`credits_low ${organizationId} ${creditsLow} ${credits}`, { keepUntilMs, event })];
}

/** The reached thresholds as decimal strings. A budget of zero has none. */
function reached(thresholds: AlertConfig['thresholds'], usage: NanoUsd, budget: NanoUsd): string[] {
  if (budget <= 0n) return [];
  return thresholds.filter((threshold) => usage >= multiply(budget, threshold)).map(formatUsd);
}

interface Unnamed {
  readonly keepUntilMs: number;
  readonly event: Omit<BudgetThreshold, 'alertId'> | Omit<CreditsLow, 'alertId'>;
}

function alert(name: string, { keepUntilMs, event }: Unnamed): Alert {
  const alertId = `alert_${fingerprintOf(name).slice(0, 32)}`;
  return { name, keepUntilMs, event: { ...event, alertId } };
}

/** Lower-case hex SHA-256. */
export function fingerprintOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}
