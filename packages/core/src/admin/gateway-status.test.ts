import { describe, expect, it } from 'vitest';
import { readStatus } from './gateway-status.js';

describe('the status of a gateway', () => {
  it('counts calls, holds and settles, and lists the providers in their order', () => {
    const statusOf = (id: string) => ({ state: id === 'exa' ? 'closed' : 'open' }) as never;
    expect(
      readStatus({
        admission: { underWay: 4, isDraining: true },
        settler: { open: 3, waiting: 2 },
        breaker: { statusOf },
        providers: [{ id: 'exa' }, { id: 'kagi' }],
        watches: { all: [{ status: { id: 'ledger', downSinceMs: 7 } }] },
      }),
    ).toEqual({
      inFlight: 4,
      holdsInFlight: 3,
      settlesWaiting: 2,
      providers: [
        { id: 'exa', state: 'closed' },
        { id: 'kagi', state: 'open' },
      ],
      stores: [{ id: 'ledger', downSinceMs: 7 }],
      closing: true,
    });
  });
});
