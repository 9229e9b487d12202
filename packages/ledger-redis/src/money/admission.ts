import type { AdmissionRefused, AdmitRequest, HoldRequest, RateLimit, RatesUsed } from '@searchgate/core/ledger';

/** Who refuses before money does. */
export type AdmissionRefuser = AdmissionRefused['by'];

type RateLimits = Pick<AdmitRequest, 'keyRateLimit' | 'organizationRateLimit'>;
type Limits = RateLimits & Pick<HoldRequest, 'keyMaxConcurrent' | 'organizationMaxConcurrent' | 'usesSlot'>;

/**
 * The limits of a request as scripts read them: whether it takes a place, most places of the key, of the organization, rate of the key, of the
 * organization.
 */
export function limitsText(limits: Limits): string {
  const { usesSlot = true, keyMaxConcurrent, organizationMaxConcurrent } = limits;
  const rates = `${rateText(limits.keyRateLimit)} ${rateText(limits.organizationRateLimit)}`;
  return `${usesSlot ? 1 : 0} ${keyMaxConcurrent ?? '-'} ${organizationMaxConcurrent ?? '-'} ${rates}`;
}

function rateText(limit: RateLimit | null | undefined): string {
  return limit == null ? '-' : `${limit.requests}/${limit.periodSeconds}`;
}

/** @param key the word of its rate as a script gives it: nothing where there is no limit. */
export function ratesUsedOf(key = '', organization = ''): RatesUsed {
  return { key: usedOf(key), organization: usedOf(organization) };
}

/** For a result: nothing where the request names no rate. */
export function ratesUsedIn(key = '', organization = ''): { readonly ratesUsed?: RatesUsed } {
  return key === '' && organization === '' ? {} : { ratesUsed: ratesUsedOf(key, organization) };
}

function usedOf(word: string): number | null {
  return word === '' ? null : Number(word.slice(0, word.indexOf('@')));
}

const REFUSERS: ReadonlySet<string> = new Set<AdmissionRefuser>([
  'key_concurrency',
  'organization_concurrency',
  'key_rate',
  'organization_rate',
]);

export function isAdmissionRefuser(by: string | undefined): by is AdmissionRefuser {
  return by !== undefined && REFUSERS.has(by);
}
