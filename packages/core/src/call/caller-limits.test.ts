import { describe, expect, it } from 'vitest';
import { callerLimits, hasRate, type LimitDefaults } from './caller-limits.js';

const ACME = { organizationId: 'acme' };
const rate = (requests: number) => ({ requests, periodMs: 60_000 });

/** Each place has different limits, so that a result shows its origin. */
const EVERYWHERE: LimitDefaults = {
  defaultLimits: {
    keys: { rateLimit: rate(1), maxConcurrent: 1 },
    organizations: { rateLimit: rate(2), maxConcurrent: 2 },
  },
  organizationLimits: {
    acme: { rateLimit: rate(3), maxConcurrent: 3, keys: { rateLimit: rate(4), maxConcurrent: 4 } },
  },
};
const OWN = {
  ...ACME,
  rateLimit: rate(5),
  maxConcurrent: 5,
  organizationRateLimit: rate(6),
  organizationMaxConcurrent: 6,
};

const found = (key: number, organization: number) => ({
  keyRateLimit: rate(key),
  keyMaxConcurrent: key,
  organizationRateLimit: rate(organization),
  organizationMaxConcurrent: organization,
});

describe('the limits of a caller', () => {
  it('are its own, else those of its organization, else the defaults', () => {
    const limitsOf = callerLimits(EVERYWHERE);
    expect(limitsOf(OWN)).toEqual(found(5, 6));
    expect(limitsOf(ACME)).toEqual(found(4, 3));
    expect(limitsOf({ organizationId: 'globex' })).toEqual(found(1, 2));
  });

  it('treat null like a missing limit', () => {
    const nothing = { rateLimit: null, maxConcurrent: null };
    const caller = { ...ACME, ...nothing, organizationRateLimit: null, organizationMaxConcurrent: null };
    expect(callerLimits(EVERYWHERE)(caller)).toEqual(found(4, 3));
    const organizationLimits = { acme: { ...nothing, keys: nothing } };
    expect(callerLimits({ ...EVERYWHERE, organizationLimits })(caller)).toEqual(found(1, 2));
  });

  it('are looked up one by one', () => {
    const limits = callerLimits(EVERYWHERE)({ ...ACME, maxConcurrent: 9 });
    expect(limits).toEqual({ ...found(4, 3), keyMaxConcurrent: 9 });
  });

  it('are an empty object for a caller without limits', () => {
    expect(callerLimits({})(ACME)).toStrictEqual({});
    const emptied = { defaultLimits: { keys: {} }, organizationLimits: { acme: {} } };
    expect(callerLimits(emptied)({ ...ACME, rateLimit: null })).toStrictEqual({});
  });

  it.each(['rateLimit', 'maxConcurrent', 'organizationRateLimit', 'organizationMaxConcurrent'] as const)(
    'are not empty with only %s',
    (name) => {
      expect(Object.values(callerLimits({})({ ...ACME, [name]: OWN[name] }))).toContain(OWN[name]);
    },
  );

  it('ignore inherited properties when an organization has the name of one', () => {
    expect(callerLimits({ organizationLimits: {} })({ organizationId: 'constructor' })).toStrictEqual({});
  });

  it('have a rate if the key or the organization has a rate', () => {
    expect([{}, { keyMaxConcurrent: 1 }, { keyRateLimit: null }].map(hasRate)).toEqual([false, false, false]);
    expect([{ keyRateLimit: rate(1) }, { organizationRateLimit: rate(1) }].map(hasRate)).toEqual([true, true]);
  });
});
