import type { HoldRefused, HoldRequest, KeyTotals, OrganizationTotals } from './ledger.js';

export interface Budgets {
  readonly organization: OrganizationTotals;
  readonly key: KeyTotals;
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
  if (!keyRefuses) {
    return { status: 'refused', by: 'organization_credits', limit: credits, usage, held, required, fitsWithoutHolds };
  }
  const ofKey = { limit: keyLimit, usage: key.usage, held: key.held };
  return { status: 'refused', by: 'key_limit', ...ofKey, required, fitsWithoutHolds };
}
