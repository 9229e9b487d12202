import { describe, expect, it } from 'vitest';
import { decideAdmission } from './decide-hold.js';

const LIMIT = { requests: 2, periodMs: 60_000 };
const REQUEST = {
  organizationId: 'acme',
  keyId: 'key',
  keyMaxConcurrent: 3,
  organizationMaxConcurrent: 4,
  keyRateLimit: LIMIT,
  organizationRateLimit: LIMIT,
};
const ROOM = { rates: { key: 1, organization: 1 }, slots: { key: 2, organization: 3 } };
const FULL = { rates: { key: 2, organization: 2 }, slots: { key: 3, organization: 4 } };

const decide = (rates = ROOM.rates, slots = ROOM.slots) => decideAdmission(REQUEST, rates, slots)?.by;

describe('who may come in', () => {
  it('has the last slot and the last request of each rate', () => {
    expect(decide()).toBeUndefined();
  });

  it('is decided in one order, whatever else is full', () => {
    expect(decide(FULL.rates, FULL.slots)).toBe('key_concurrency');
    expect(decide(FULL.rates, { ...FULL.slots, key: 2 })).toBe('organization_concurrency');
    expect(decide(FULL.rates)).toBe('key_rate');
    expect(decide({ ...FULL.rates, key: 1 })).toBe('organization_rate');
  });

  it('takes no slot where it waits for the answer of another, but counts against the rates', () => {
    const waiting = { ...REQUEST, usesSlot: false };
    expect(decideAdmission(waiting, ROOM.rates, FULL.slots)).toBeUndefined();
    expect(decideAdmission(waiting, FULL.rates, FULL.slots)).toEqual({ status: 'refused', by: 'key_rate' });
    expect(decideAdmission({ ...REQUEST, usesSlot: true }, ROOM.rates, FULL.slots)?.by).toBe('key_concurrency');
  });

  it('takes no slot where it holds nothing', () => {
    expect(decideAdmission(REQUEST, ROOM.rates)).toBeUndefined();
    expect(decideAdmission(REQUEST, FULL.rates)?.by).toBe('key_rate');
  });

  it('has any number of slots and requests without a limit', () => {
    const unlimited = { organizationId: 'acme', keyId: 'key', keyMaxConcurrent: null, keyRateLimit: null };
    expect(decideAdmission(unlimited, FULL.rates, { key: 1e6, organization: 1e6 })).toBeUndefined();
    expect(decideAdmission(REQUEST, { key: null, organization: null }, ROOM.slots)).toBeUndefined();
    expect(decideAdmission(REQUEST, undefined, ROOM.slots)).toBeUndefined();
  });
});
