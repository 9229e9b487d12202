import { describe, expect, it } from 'vitest';
import { callerLimits, hasRate, type LimitDefaults } from './caller-limits.js';

const ACME = { organizationId: 'acme' };
const rate = (requests: number) => ({ requests, periodMs: 60_000 });

/** Each place names limits of its own, so that a result says where it came from. */
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

  it('count null as nothing said', () => {
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

  it('are an empty object where there are none', () => {
    expect(callerLimits({})(ACME)).toStrictEqual({});
    const emptied = { defaultLimits: { keys: {} }, organizationLimits: { acme: {} } };
    expect(callerLimits(emptied)({ ...ACME, rateLimit: null })).toStrictEqual({});
  });

  it.each(['rateLimit', 'maxConcurrent', 'organizationRateLimit', 'organizationMaxConcurrent'] as const)(
    'are not empty with %s alone',
    (name) => {
      expect(Object.values(callerLimits({})({ ...ACME, [name]: OWN[name] }))).toContain(OWN[name]);
    },
  );

  it('are of no organization that is only named like a property of every object', () => {
    expect(callerLimits({ organizationLimits: {} })({ organizationId: 'constructor' })).toStrictEqual({});
  });

  it('know a rate of either', () => {
    expect([{}, { keyMaxConcurrent: 1 }, { keyRateLimit: null }].map(hasRate)).toEqual([false, false, false]);
    expect([{ keyRateLimit: rate(1) }, { organizationRateLimit: rate(1) }].map(hasRate)).toEqual([true, true]);
  });
});
