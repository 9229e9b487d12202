import { describe, expect, it } from 'vitest';
import { admitRequest, decideAdmission, readRates } from './decide-hold.js';
import type { LedgerState } from './ledger-state.js';

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
const BOTH = { organizationId: 'acme', keyId: 'key', keyRateLimit: LIMIT, organizationRateLimit: LIMIT };

/** The part of a ledger that rates are about, at a time the test sets. */
function start() {
  const rates = new Map<string, { readonly used: number; readonly atMs: number; readonly drainsAtMs: number }>();
  const written: string[] = [];
  const time = { nowMs: 1_000_000 };
  const state: Pick<LedgerState, 'now' | 'readRate' | 'setRate'> = {
    now: () => time.nowMs,
    readRate: (subject, id) => rates.get(`${subject} ${id}`),
    setRate(subject, id, rate) {
      written.push(`${subject} ${id}`);
      rates.set(`${subject} ${id}`, rate);
    },
  };
  return { state: state as LedgerState, rates, written, time };
}

describe('counting rates', () => {
  it('counts a request once for its key and once for its organization, until each has drained', () => {
    const { state, rates, time } = start();
    expect(admitRequest(state, BOTH)).toEqual({ status: 'admitted', ratesUsed: { key: 1, organization: 1 } });
    time.nowMs += 15_000;
    expect(admitRequest(state, { ...BOTH, keyId: 'other' })).toMatchObject({
      ratesUsed: { key: 1, organization: 1.5 },
    });
    expect(Object.fromEntries(rates)).toEqual({
      'key key': { used: 1, atMs: 1_000_000, drainsAtMs: 1_030_000 },
      'key other': { used: 1, atMs: 1_015_000, drainsAtMs: 1_045_000 },
      'organization acme': { used: 1.5, atMs: 1_015_000, drainsAtMs: 1_060_000 },
    });
  });

  it('does not count a refused request, also not in the rate that is not full', () => {
    const { state, written } = start();
    const narrow = { ...BOTH, organizationRateLimit: { requests: 1, periodMs: 60_000 } };
    admitRequest(state, narrow);
    written.length = 0;
    expect(admitRequest(state, narrow)).toEqual({
      status: 'refused',
      by: 'organization_rate',
      ratesUsed: { key: 1, organization: 1 },
    });
    expect(written).toEqual([]);
  });

  it('drains from the new time on after the clock was set back, also by a refusal', () => {
    const { state, rates, time } = start();
    for (let count = 0; count < 2; count += 1) admitRequest(state, BOTH);
    time.nowMs = 500_000;
    expect(admitRequest(state, BOTH).status).toBe('refused');
    expect(rates.get('key key')).toEqual({ used: 2, atMs: 500_000, drainsAtMs: 560_000 });
  });

  it('stores nothing for a request without rates', () => {
    const { state, written } = start();
    const unlimited = { organizationId: 'acme', keyId: 'key' };
    expect(admitRequest(state, unlimited)).toEqual({
      status: 'admitted',
      ratesUsed: { key: null, organization: null },
    });
    expect(admitRequest(state, { ...unlimited, keyRateLimit: null }).status).toBe('admitted');
    expect(written).toEqual([]);
  });

  it('reads without counting', () => {
    const { state, written } = start();
    admitRequest(state, BOTH);
    written.length = 0;
    expect(readRates(state, BOTH)).toEqual({ key: 1, organization: 1 });
    expect(readRates(state, { ...BOTH, keyRateLimit: null })).toEqual({ key: null, organization: 1 });
    expect(written).toEqual([]);
  });
});
