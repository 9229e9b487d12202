import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { AdmissionRefused } from '../ledger/ledger.js';
import { createRateLimitCache } from './rate-limit-cache.js';

const LIMIT = { requests: 2, periodMs: 60_000 };
const LIMITS = { keyRateLimit: LIMIT, organizationRateLimit: LIMIT };
const CALLER = { id: 'key', organizationId: 'acme' };
const OTHER_KEY = { ...CALLER, id: 'other' };

const BY_KEY: AdmissionRefused = { status: 'refused', by: 'key_rate', ratesUsed: { key: 2, organization: 1 } };
const BY_ORGANIZATION: AdmissionRefused = {
  status: 'refused',
  by: 'organization_rate',
  ratesUsed: { key: 1, organization: 2 },
};

function start() {
  const clock = createFakeClock();
  return { clock, refusals: createRateLimitCache(clock) };
}

describe('known refusals', () => {
  it('refuse a key until its next request fits, with the rate used by then', async () => {
    const { clock, refusals } = start();
    refusals.note(CALLER, LIMITS, BY_KEY);
    expect(refusals.find(CALLER, LIMITS)).toEqual({ ...BY_KEY, ratesUsed: { key: 2, organization: null } });
    await clock.advance(29_999);
    expect(refusals.find(CALLER, LIMITS)?.ratesUsed?.key).toBeCloseTo(1, 3);
    await clock.advance(1);
    expect(refusals.find(CALLER, LIMITS)).toBeUndefined();
  });

  it('refuse every key of an organization, and no other organization', async () => {
    const { clock, refusals } = start();
    refusals.note(CALLER, LIMITS, BY_ORGANIZATION);
    const refused = { ...BY_ORGANIZATION, ratesUsed: { key: null, organization: 2 } };
    expect([CALLER, OTHER_KEY].map((caller) => refusals.find(caller, LIMITS))).toEqual([refused, refused]);
    expect(refusals.find({ id: 'acme', organizationId: 'key' }, LIMITS)).toBeUndefined();
    await clock.advance(30_000);
    expect(refusals.find(OTHER_KEY, LIMITS)).toBeUndefined();
  });

  it('refuse only the key that was refused', () => {
    const { refusals } = start();
    refusals.note(CALLER, LIMITS, BY_KEY);
    expect(refusals.find(OTHER_KEY, LIMITS)).toBeUndefined();
  });

  it('name the key before its organization', () => {
    const { refusals } = start();
    refusals.note(CALLER, LIMITS, BY_ORGANIZATION);
    refusals.note(CALLER, LIMITS, BY_KEY);
    expect(refusals.find(CALLER, LIMITS)?.by).toBe('key_rate');
  });

  it.each([
    { requests: 3, periodMs: 60_000 },
    { requests: 1, periodMs: 60_000 },
    { requests: 2, periodMs: 61_000 },
    null,
    undefined,
  ])('leave the decision to the ledger after a change of the limit: %o', (keyRateLimit) => {
    const { refusals } = start();
    refusals.note(CALLER, LIMITS, BY_KEY);
    expect(refusals.find(CALLER, { keyRateLimit })).toBeUndefined();
  });

  it.each<AdmissionRefused['by']>(['key_concurrency', 'organization_concurrency'])(
    'do not remember a refusal by %s, because a slot may become free at any time',
    (by) => {
      const { refusals } = start();
      refusals.note(CALLER, LIMITS, { ...BY_KEY, by });
      refusals.note(CALLER, LIMITS, { ...BY_ORGANIZATION, by });
      expect(refusals.find(CALLER, LIMITS)).toBeUndefined();
    },
  );

  it('remember no refusal without a limit and its use', () => {
    const { refusals } = start();
    refusals.note(CALLER, LIMITS, { status: 'refused', by: 'key_rate' });
    refusals.note(CALLER, {}, BY_KEY);
    expect(refusals.find(CALLER, LIMITS)).toBeUndefined();
  });

  it('remember the latest 10,000 keys', () => {
    const { refusals } = start();
    const caller = (index: number) => ({ id: `key-${index}`, organizationId: 'acme' });
    for (let index = 0; index <= 10_000; index += 1) refusals.note(caller(index), LIMITS, BY_KEY);
    expect([0, 1, 10_000].map((index) => refusals.find(caller(index), LIMITS)?.by)).toEqual([
      undefined,
      'key_rate',
      'key_rate',
    ]);
  });
});
