import type { NanoUsd } from '../base/money.js';
import type { BudgetRefused, HoldAccepted, HoldRequest, OrganizationTotals } from './ledger.js';

export interface Budgets {
  readonly organization: OrganizationTotals;
  readonly key: KeyBudget;
}

export interface KeyBudget {
  /** Of the present window, where the limit resets. */
  readonly usage: NanoUsd;
  readonly held: NanoUsd;
  /** When the limit starts over; `null` for never. */
  readonly resetsAtMs: number | null;
}

/**
 * Decides a hold by the figures of the moment: the largest amount asked for that fits both budgets, or why even the smallest does
 * not. For ledgers that read these figures and hold in one atomic step; between reading and holding nothing may change them.
 */
export function decideHold(request: HoldRequest, { organization, key }: Budgets): HoldAccepted | BudgetRefused {
  const { keyLimit, amount, acceptableAmounts = [] } = request;
  const { credits, usage, held } = organization;
  const organizationRoom = credits - usage - held;
  const keyRoom = keyLimit === null ? null : keyLimit - key.usage - key.held;
  const room = keyRoom === null || organizationRoom < keyRoom ? organizationRoom : keyRoom;
  const fitting = amount <= room ? amount : acceptableAmounts.find((smaller) => smaller <= room);
  if (fitting !== undefined) return { status: 'held', amount: fitting };

  const required = acceptableAmounts.at(-1) ?? amount;
  const fitsWithoutHolds = usage + required <= credits && (keyLimit === null || key.usage + required <= keyLimit);
  if (keyLimit !== null && keyRoom !== null && required > keyRoom) {
    return { status: 'refused', by: 'key_limit', limit: keyLimit, required, ...key, fitsWithoutHolds };
  }
  const ofOrganization = { limit: credits, usage, held, resetsAtMs: null };
  return { status: 'refused', by: 'organization_credits', ...ofOrganization, required, fitsWithoutHolds };
}
