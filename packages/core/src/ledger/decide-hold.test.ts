import { describe, expect, it } from 'vitest';
import { admitRequest, readRates } from './decide-hold.js';
import type { LedgerState } from './ledger-state.js';

const LIMIT = { requests: 2, periodMs: 60_000 };
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
