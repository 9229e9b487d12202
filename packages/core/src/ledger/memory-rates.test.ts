import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { admitRequest, readRates } from './decide-hold.js';
import { createMemoryRates } from './memory-rates.js';
import { createMemoryState } from './memory-state.js';

const SECOND_MS = 1_000;

describe('rates in memory', () => {
  it('keep a rate until it has drained', () => {
    const rates = createMemoryRates();
    rates.set('slow', { used: 1, atMs: 0, drainsAtMs: 1_000_000 }, 0);
    for (let index = 0; index < 10_000; index += 1)
      rates.set(`quick-${index}`, { used: 1, atMs: index, drainsAtMs: index + 10 }, index);
    expect(rates.read('slow', 10_000)).toMatchObject({ used: 1 });
    expect(rates.read('quick-9999', 10_000)).toMatchObject({ used: 1 });
  });

  it('forget a million keys that were used once, each soon after its rate has drained', () => {
    const rates = createMemoryRates();
    let most = 0;
    for (let index = 0; index < 1_000_000; index += 1) {
      rates.set(`key-${index}`, { used: 1, atMs: index, drainsAtMs: index + SECOND_MS }, index);
      most = Math.max(most, rates.size);
    }
    // At one key a millisecond 1,000 are in use; looking at two each time finds the drained ones within as many more.
    expect(most).toBeLessThan(5_000);
  });

  it('drain from the new time on after the clock was set back, also with a refusal', () => {
    let nowMs = 3_600_000;
    const state = createMemoryState({ ...createFakeClock(), now: () => nowMs }, 10);
    const request = { organizationId: 'acme', keyId: 'key', keyRateLimit: { requests: 2, periodMs: 2_000 } };
    const ask = () => admitRequest(state, request).status;
    expect([ask(), ask(), ask()]).toEqual(['admitted', 'admitted', 'refused']);
    nowMs = 0;
    expect(readRates(state, request)).toEqual({ key: 2, organization: null });
    expect(ask()).toBe('refused');
    nowMs = SECOND_MS;
    expect([ask(), ask()]).toEqual(['admitted', 'refused']);
  });
});
