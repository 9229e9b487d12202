import { memoryLedger } from '@searchgate/core';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../fake-clock.js';
import { createLedgerSuite, type LedgerCapabilities, type LedgerUnderTest } from './ledger-suite.js';

const BEFORE_MIDNIGHT_MS = Date.UTC(2026, 10, 22) - 1;

interface Attempts {
  readonly passesMs: number;
  /** The outcome of the test in each attempt. */
  readonly outcomes: readonly ('succeeds' | 'fails')[];
  readonly supports?: LedgerCapabilities;
}

/** Runs a test that takes `passesMs`. @returns the number of attempts, and the result. */
async function run({ passesMs, outcomes, supports = {} }: Attempts) {
  let disposed = 0;
  const clock = createFakeClock(BEFORE_MIDNIGHT_MS);
  const create = async (): Promise<LedgerUnderTest> => {
    const ledger = memoryLedger({ clock });
    return { ledger, now: () => clock.now(), dispose: async () => void (disposed += 1) };
  };
  let body: (() => Promise<void>) | undefined;
  const runner = { describe: () => undefined, it: (_name: string, given: () => Promise<void>) => (body = given) };
  let attempts = 0;
  createLedgerSuite({ ...runner, create, supports }).test('a test', async () => {
    await clock.advance(passesMs);
    attempts += 1;
    if (outcomes[attempts - 1] === 'fails') throw new Error(`attempt ${attempts}`);
  });
  const ending = await body?.().then(
    () => 'succeeded',
    (error: unknown) => (error as Error).message,
  );
  return { attempts, disposed, ending };
}

describe('createLedgerSuite', () => {
  it('attempts a test once', async () => {
    expect(await run({ passesMs: 0, outcomes: ['fails'] })).toEqual({ attempts: 1, disposed: 1, ending: 'attempt 1' });
    const succeeded = { attempts: 1, disposed: 1, ending: 'succeeded' };
    expect(await run({ passesMs: 0, outcomes: ['succeeds'] })).toEqual(succeeded);
    expect(await run({ passesMs: 1, outcomes: ['succeeds'] })).toEqual(succeeded);
  });

  it('retries a test once if midnight passed during a failure', async () => {
    const succeeded = { attempts: 2, disposed: 2, ending: 'succeeded' };
    expect(await run({ passesMs: 1, outcomes: ['fails', 'succeeds'] })).toEqual(succeeded);
    const failed = { attempts: 2, disposed: 2, ending: 'attempt 2' };
    expect(await run({ passesMs: 86_400_000, outcomes: ['fails', 'fails'] })).toEqual(failed);
  });

  it('does not retry after midnight if the test can move the clock', async () => {
    const failed = { attempts: 1, disposed: 1, ending: 'attempt 1' };
    expect(await run({ passesMs: 1, outcomes: ['fails'], supports: { clock: true } })).toEqual(failed);
  });
});
