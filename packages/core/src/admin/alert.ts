import { createHash } from 'node:crypto';
import type { AlertEvent, BudgetThreshold } from '../base/events/alert-events.js';
import { formatUsd, multiply, type NanoUsd, NO_MARKUP } from '../base/money.js';
import type { BudgetRefused, OrganizationTotals } from '../ledger/ledger.js';
import type { AlertConfig } from './alert-options.js';

/** An event that is emitted once. */
export interface Alert {
  /** The same in every process. */
  readonly name: string;
  /** Until when the emission is remembered. */
  readonly keepUntilMs: number;
  readonly event: Unidentified<AlertEvent>;
}

type Unidentified<Event> = Event extends unknown ? Omit<Event, 'alertId'> : never;

/** The usage and the limit of a key, a shared budget or an organization. A changed limit counts as a new budget. */
export type Budget = Omit<BudgetThreshold, 'type' | 'atMs' | 'alertId' | 'threshold'>;

/** When a budget has reached a threshold. */
export interface ThresholdTerms extends Pick<AlertConfig, 'thresholds'> {
  /** The least amount that a call of an organization needs: with less left, the whole budget counts as used. */
  leastPrice(organizationId: string): NanoUsd;
}

const DAY_MS = 86_400_000;
/** For a budget without a window: the alert may be emitted again after a year. */
export const ENDLESS_MS = 366 * DAY_MS;

/** Every threshold that the usage of a budget has reached. */
export function thresholdAlerts(terms: ThresholdTerms, budget: Budget, atMs: number): Alert[] {
  return reached(terms, budget).map((threshold) => ({
    ...remembered(`budget_threshold ${threshold}`, budget, atMs),
    event: { type: 'budget_threshold', atMs, ...budget, threshold },
  }));
}

/** Every threshold that the usage of an organization has reached, and whether its balance is low. */
export function organizationAlerts(
  { creditsLow, ...terms }: ThresholdTerms & Pick<AlertConfig, 'creditsLow'>,
  organizationId: string,
  { totals: { credits, usage }, atMs }: { readonly totals: OrganizationTotals; readonly atMs: number },
): Alert[] {
  const of = { subject: 'organization', organizationId, keyId: null, budget: null, windowEndsAtMs: null } as const;
  const whole: Budget = { ...of, usage, limit: credits };
  const alerts = thresholdAlerts(terms, whole, atMs);
  const balance = credits - usage;
  if (creditsLow === null || balance >= creditsLow) return alerts;
  const event = { type: 'credits_low', atMs, organizationId, balance, below: creditsLow } as const;
  return [...alerts, { ...remembered(`credits_low ${creditsLow}`, whole, atMs), event }];
}

/** The alert of a refused call. Of many refused calls in one window, all but the first repeat its name. */
export function exhaustedAlert(
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
  { by, budget, limit, usage, required: wanted, resetsAtMs: windowEndsAtMs }: BudgetRefused,
  atMs: number,
): Alert {
  const of = { organizationId, keyId: by === 'key_limit' ? id : null, budget: budget ?? null };
  const full: Budget = { subject: SUBJECTS[by], ...of, usage, limit, windowEndsAtMs };
  const event = { type: 'budget_exhausted', atMs, ...full, wanted, rest: limit - usage } as const;
  return { ...remembered('budget_exhausted', full, atMs), event };
}

const SUBJECTS = { key_limit: 'key', budget: 'budget', organization_credits: 'organization' } as const;

function remembered(what: string, of: Budget, atMs: number) {
  const { subject, organizationId, keyId, budget, limit, windowEndsAtMs } = of;
  // A name is kept for long, and has room for one id. The id of a budget may be that of a person.
  const whose = budget === null ? (keyId ?? organizationId) : sha256(`${organizationId} ${budget}`);
  return {
    name: `${what} ${subject} ${whose} ${limit} ${windowEndsAtMs ?? 'always'}`,
    // By the clocks of other processes, the window may end later than by this process's clock.
    keepUntilMs: windowEndsAtMs === null ? atMs + ENDLESS_MS : windowEndsAtMs + DAY_MS,
  };
}

/** The reached thresholds as decimal strings. A budget of zero has none. */
function reached({ thresholds, leastPrice }: ThresholdTerms, { organizationId, usage, limit }: Budget): string[] {
  if (limit <= 0n) return [];
  // A call was charged, and less than the cheapest call is left: so more than half is used. Prices are compared only then.
  const isUsed = usage >= limit || (usage * 2n >= limit && limit - usage < leastPrice(organizationId));
  return thresholds
    .filter((threshold) => usage >= multiply(limit, threshold) || (isUsed && threshold <= NO_MARKUP))
    .map(formatUsd);
}

/** Lower-case hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
