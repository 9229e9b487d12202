import { describe, expect, it } from 'vitest';
import type { KeyRing } from '../limits/key-ring.js';
import { readStatus } from './gateway-status.js';

describe('the status of a gateway', () => {
  it('counts calls, holds and settles, and lists the providers in their order', () => {
    const statusOf = (id: string) => ({ state: id === 'exa' ? 'closed' : 'open' }) as never;
    const ring = {
      statuses: () => [{ name: 'key-1', state: 'rejected', outUntilMs: null }],
    } as Partial<KeyRing> as KeyRing;
    expect(
      readStatus({
        admission: { underWay: 4, isDraining: true },
        settler: { open: 3, waiting: 2 },
        underWay: { oldest: () => [{ model: 'exa/answer', ageMs: 9 }] },
        breaker: { statusOf },
        limits: { of: (id) => (id === 'kagi' ? { ring } : {}) },
        providers: [{ id: 'exa' }, { id: 'kagi' }],
        watches: { all: [{ status: { id: 'ledger', downSinceMs: 7 } }] },
      }),
    ).toEqual({
      inFlight: 4,
      holdsInFlight: 3,
      settlesWaiting: 2,
      oldestAttempts: [{ model: 'exa/answer', ageMs: 9 }],
      providers: [
        { id: 'exa', state: 'closed' },
        { id: 'kagi', state: 'open', keys: [{ name: 'key-1', state: 'rejected', outUntilMs: null }] },
      ],
      stores: [{ id: 'ledger', downSinceMs: 7 }],
      closing: true,
    });
  });
});
