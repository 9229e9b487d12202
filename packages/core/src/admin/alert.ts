import type { BudgetExhausted, BudgetThreshold, CreditsLow } from '../base/events/alert-events.js';
import { formatUsd, multiply, type NanoUsd, NO_MARKUP } from '../base/money.js';
import type { LimitWindow } from '../base/time/limit-window.js';
import type { BudgetRefused, OrganizationTotals } from '../ledger/ledger.js';
import type { AlertConfig } from './alert-options.js';

/** An event that is emitted once. */
export interface Alert {
  /** The same in every process. */
  readonly name: string;
  /** Until when the emission is remembered. */
  readonly keepUntilMs: number;
  readonly event: Unidentified<BudgetExhausted> | Unidentified<BudgetThreshold> | Unidentified<CreditsLow>;
}

type Unidentified<Event> = Omit<Event, 'alertId'>;

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
export const ENDLESS_MS = 366 * DAY_MS;

/** Every threshold that the usage of a key has reached. A changed limit counts as a new budget. */
export function keyAlerts({ thresholds, leastPrice }: ThresholdTerms, budget: KeyBudget, atMs: number): Alert[] {
  const { keyId, organizationId, usage, limit, window } = budget;
  const windowEndsAtMs = window?.resetsAtMs ?? null;
  return reached({ thresholds, leastPrice }, { ...budget, budget: limit }).map((threshold) => ({
    name: `budget_threshold key ${keyId} ${threshold} ${limit} ${window?.startsAtMs ?? 'always'}`,
    keepUntilMs: keepUntil(windowEndsAtMs, atMs),
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
  }));
}

/** Every threshold that the usage of an organization has reached, and whether its balance is low. Changed credits count as a new budget. */
export function organizationAlerts(
  { thresholds, creditsLow, leastPrice }: ThresholdTerms & Pick<AlertConfig, 'creditsLow'>,
  organizationId: string,
  { totals: { credits, usage }, atMs }: { readonly totals: OrganizationTotals; readonly atMs: number },
): Alert[] {
  const keepUntilMs = keepUntil(null, atMs);
  const spent = { organizationId, usage, budget: credits };
  const alerts: Alert[] = reached({ thresholds, leastPrice }, spent).map((threshold) => ({
    name: `budget_threshold organization ${organizationId} ${threshold} ${credits}`,
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
  }));
  const balance = credits - usage;
  if (creditsLow === null || balance >= creditsLow) return alerts;
  const event = { type: 'credits_low', atMs, organizationId, balance, below: creditsLow } as const;
  return [...alerts, { name: `credits_low ${organizationId} ${creditsLow} ${credits}`, keepUntilMs, event }];
}

/** The alert of a refused call. Of many refused calls in one window, all but the first repeat its name. */
export function exhaustedAlert(
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
  { by, limit, usage, required: wanted, resetsAtMs: windowEndsAtMs }: BudgetRefused,
  atMs: number,
): Alert {
  const [subject, keyId] = by === 'key_limit' ? (['key', id] as const) : (['organization', null] as const);
  const budget = { subject, organizationId, keyId, usage, limit, windowEndsAtMs };
  return {
    name: `budget_exhausted ${subject} ${keyId ?? organizationId} ${limit} ${windowEndsAtMs ?? 'always'}`,
    keepUntilMs: keepUntil(windowEndsAtMs, atMs),
    event: { type: 'budget_exhausted', atMs, ...budget, wanted, rest: limit - usage },
  };
}

/** By the clocks of other processes, the window may end later than by this process's clock. */
function keepUntil(windowEndsAtMs: number | null, atMs: number): number {
  return windowEndsAtMs === null ? atMs + ENDLESS_MS : windowEndsAtMs + DAY_MS;
}

/** When a budget has reached a threshold. */
export interface ThresholdTerms extends Pick<AlertConfig, 'thresholds'> {
  /** The least amount that a call of an organization needs: with less left, the whole budget counts as used. */
  leastPrice(organizationId: string): NanoUsd;
}

interface Spent {
  readonly organizationId: string;
  readonly usage: NanoUsd;
  readonly budget: NanoUsd;
}

/** The reached thresholds as decimal strings. A budget of zero has none. */
function reached({ thresholds, leastPrice }: ThresholdTerms, { organizationId, usage, budget }: Spent): string[] {
  if (budget <= 0n) return [];
  // A call was charged, and less than the cheapest call is left: so more than half is used. Prices are compared only then.
  const isOver = usage >= budget || (usage * 2n >= budget && budget - usage < leastPrice(organizationId));
  return thresholds
    .filter((threshold) => usage >= multiply(budget, threshold) || (isOver && threshold <= NO_MARKUP))
    .map(formatUsd);
}
