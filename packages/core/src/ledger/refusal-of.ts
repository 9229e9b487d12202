import type { NanoUsd } from '../money.js';
import type { HoldRefused, HoldRequest, OrganizationTotals } from './ledger.js';

export interface Budgets {
  readonly organization: OrganizationTotals;
  readonly key: KeyBudget;
}

export interface KeyBudget {
  /** Of the present window, where the limit resets. */
  readonly usage: NanoUsd;
  readonly held: NanoUsd;
  /** When the limit starts afresh; `null` for never. */
  readonly resetsAtMs: number | null;
}

/**
 * Why a hold has no room within the figures of the moment, or `undefined` when it has. For ledgers that keep these figures in hand while
 * they decide; whoever reads them first and holds later has lost.
 */
export function refusalOf(request: HoldRequest, { organization, key }: Budgets): HoldRefused | undefined {
  const { keyLimit, amount: required } = request;
  const { credits, usage, held } = organization;
  const keyRefuses = keyLimit !== null && key.usage + key.held + required > keyLimit;
  if (!keyRefuses && usage + held + required <= credits) return undefined;
  const fitsWithoutHolds = usage + required <= credits && (keyLimit === null || key.usage + required <= keyLimit);
  if (keyRefuses) return { status: 'refused', by: 'key_limit', limit: keyLimit, required, ...key, fitsWithoutHolds };
  const ofOrganization = { limit: credits, usage, held, resetsAtMs: null };
  return { status: 'refused', by: 'organization_credits', ...ofOrganization, required, fitsWithoutHolds };
}
