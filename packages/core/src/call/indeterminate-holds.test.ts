import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { LedgerError } from '../base/errors/ledger-error.js';
import type { Release } from '../ledger/ledger.js';
import { createIndeterminateHolds } from './indeterminate-holds.js';

const UNKNOWN = new LedgerError('unknown_hold', 'no such hold');
const DOWN = new Error('down');

/** Holds of a ledger that fails so often, in this way. */
function start(failures: Error[]) {
  const clock = createFakeClock();
  const released: [string, Release][] = [];
  const logged: unknown[] = [];
  const ledger = {
    async release(id: string, release: Release) {
      released.push([id, release]);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return { status: 'released', cost: 0n, first: true } as const;
    },
  };
  const logger = { warn: () => undefined, error: (fields: unknown) => void logged.push(fields) };
  return { clock, released, logged, holds: createIndeterminateHolds({ ledger, clock, logger }) };
}

/** Longer than all tries take together. */
async function wait(clock: ReturnType<typeof createFakeClock>): Promise<void> {
  for (let minute = 0; minute < 60; minute += 1) await clock.advance(60_000);
}

describe('holds that may have been placed', () => {
  it('are released at once, with the reason', async () => {
    const { holds, released, clock } = start([]);
    holds.release('hold');
    await wait(clock);
    expect(released).toEqual([['hold', { reason: 'hold_failed' }]]);
  });

  it('are released when the ledger is back', async () => {
    const { holds, released, clock, logged } = start([DOWN, DOWN, new LedgerError('ledger_timeout', 'slow')]);
    holds.release('hold');
    await wait(clock);
    expect([released.length, logged]).toEqual([4, []]);
  });

  it('are released when they were placed only after the first tries', async () => {
    const { holds, released, clock, logged } = start([UNKNOWN, UNKNOWN]);
    holds.release('hold');
    await wait(clock);
    expect([released.length, logged]).toEqual([3, []]);
  });

  it('are not logged when they were never placed', async () => {
    const { holds, released, clock, logged } = start(Array(30).fill(UNKNOWN));
    holds.release('hold');
    await wait(clock);
    expect([released.length, logged]).toEqual([3, []]);
  });

  it('are logged when the ledger refuses, or fails for too long', async () => {
    const refusing = new LedgerError('invalid_id', 'not an id');
    for (const failures of [[refusing], Array(20).fill(DOWN)] as Error[][]) {
      const [last] = failures;
      const { holds, clock, logged } = start(failures);
      holds.release('hold');
      await wait(clock);
      expect(logged).toEqual([{ error: last, holdId: 'hold' }]);
    }
  });

  it('are tried once more when the gateway closes', async () => {
    const { holds, released, clock } = start([DOWN]);
    holds.release('hold');
    await clock.advance(0);
    await holds.close();
    expect([released.length, clock.pendingTimers]).toEqual([2, 0]);
  });
});
