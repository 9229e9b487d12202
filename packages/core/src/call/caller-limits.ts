import type { AdmissionLimits, KeyLimits } from '../base/time/rate-limit.js';
import type { HoldRequest, RatesUsed } from '../ledger/ledger.js';

/** The rate and concurrency limits of a caller, as fields of a hold request. */
export type CallerLimits = Pick<
  HoldRequest,
  'keyRateLimit' | 'organizationRateLimit' | 'keyMaxConcurrent' | 'organizationMaxConcurrent'
>;

/** The rate limits of a caller, and the use of each that the ledger has reported. */
export interface CallerRates extends Pick<CallerLimits, 'keyRateLimit' | 'organizationRateLimit'> {
  readonly used: RatesUsed;
}

/** Limits of one organization, and of its keys that set no limits themselves. */
interface OrganizationLimits extends AdmissionLimits {
  readonly keys?: AdmissionLimits | undefined;
}

export interface LimitDefaults {
  /** For keys and organizations without limits of their own. */
  readonly defaultLimits?:
    | {
        readonly keys?: AdmissionLimits | undefined;
        readonly organizations?: AdmissionLimits | undefined;
      }
    | undefined;
  readonly organizationLimits?: Readonly<Record<string, OrganizationLimits>> | undefined;
}

/** A caller and the limits set on it directly. */
export interface LimitedCaller extends KeyLimits {
  readonly organizationId: string;
}

const NONE: CallerLimits = Object.freeze({});

/**
 * Builds the function that finds the limits of a caller: its own, else those of its organization, else the defaults. A caller without limits gets an
 * empty object, which costs the ledger nothing.
 */
export function callerLimits(defaults: LimitDefaults): (apiKey: LimitedCaller) => CallerLimits {
  const { keys, organizations } = defaults.defaultLimits ?? {};
  const byOrganization = new Map(Object.entries(defaults.organizationLimits ?? {}));
  return (apiKey) => {
    const own = byOrganization.get(apiKey.organizationId);
    const limits: CallerLimits = {
      keyRateLimit: apiKey.rateLimit ?? own?.keys?.rateLimit ?? keys?.rateLimit,
      organizationRateLimit: apiKey.organizationRateLimit ?? own?.rateLimit ?? organizations?.rateLimit,
      keyMaxConcurrent: apiKey.maxConcurrent ?? own?.keys?.maxConcurrent ?? keys?.maxConcurrent,
      organizationMaxConcurrent: apiKey.organizationMaxConcurrent ?? own?.maxConcurrent ?? organizations?.maxConcurrent,
    };
    const { keyMaxConcurrent, organizationMaxConcurrent } = limits;
    return hasRate(limits) || keyMaxConcurrent != null || organizationMaxConcurrent != null ? limits : NONE;
  };
}

/** Whether a call counts against a rate. */
export function hasRate({ keyRateLimit, organizationRateLimit }: CallerLimits): boolean {
  return keyRateLimit != null || organizationRateLimit != null;
}
