import { describe, expect, it } from 'vitest';
import { decideAdmission } from './decide-admission.js';

const LIMIT = { requests: 2, periodSeconds: 60 };
const REQUEST = {
  organizationId: 'acme',
  keyId: 'key',
  keyMaxConcurrent: 3,
  organizationMaxConcurrent: 4,
  keyRateLimit: LIMIT,
  organizationRateLimit: LIMIT,
};
const ROOM = { rates: { key: 1, organization: 1 }, places: { key: 2, organization: 3 } };
const FULL = { rates: { key: 2, organization: 2 }, places: { key: 3, organization: 4 } };

const decide = (rates = ROOM.rates, places = ROOM.places) => decideAdmission(REQUEST, rates, places)?.by;

describe('who may come in', () => {
  it('has the last place and the last request of each rate', () => {
    expect(decide()).toBeUndefined();
  });

  it('is decided in one order, whatever else is full', () => {
    expect(decide(FULL.rates, FULL.places)).toBe('key_concurrency');
    expect(decide(FULL.rates, { ...FULL.places, key: 2 })).toBe('organization_concurrency');
    expect(decide(FULL.rates)).toBe('key_rate');
    expect(decide({ ...FULL.rates, key: 1 })).toBe('organization_rate');
  });

  it('takes no place where it waits for the answer of another, but counts against the rates', () => {
    const waiting = { ...REQUEST, usesSlot: false };
    expect(decideAdmission(waiting, ROOM.rates, FULL.places)).toBeUndefined();
    expect(decideAdmission(waiting, FULL.rates, FULL.places)).toEqual({ status: 'refused', by: 'key_rate' });
    expect(decideAdmission({ ...REQUEST, usesSlot: true }, ROOM.rates, FULL.places)?.by).toBe('key_concurrency');
  });

  it('takes no place where it holds nothing', () => {
    expect(decideAdmission(REQUEST, ROOM.rates)).toBeUndefined();
    expect(decideAdmission(REQUEST, FULL.rates)?.by).toBe('key_rate');
  });

  it('has any number of places and requests without a limit', () => {
    const unlimited = { organizationId: 'acme', keyId: 'key', keyMaxConcurrent: null, keyRateLimit: null };
    expect(decideAdmission(unlimited, FULL.rates, { key: 1e6, organization: 1e6 })).toBeUndefined();
    expect(decideAdmission(REQUEST, { key: null, organization: null }, ROOM.places)).toBeUndefined();
    expect(decideAdmission(REQUEST, undefined, ROOM.places)).toBeUndefined();
  });
});
