import { memoryLedger } from '@searchgate/core';
import { systemClock } from '@searchgate/core/ledger';
import * as fastCheck from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../src/fake-clock.js';
import type { LedgerConformanceOptions, LedgerUnderTest } from '../src/ledger/ledger-suite.js';
import { ledgerConformance } from '../src/ledger-conformance.js';
import type { TestRunner } from '../src/test-runner.js';
import { ADMISSION_FAULTS } from './ledger/broken-admission.js';
import { handleOn, SHARING_FAULTS } from './ledger/broken-handles.js';
import { type Break, FAULTS, type Faults } from './ledger/broken-ledgers.js';
import { REMOVAL_FAULTS, USAGE_FAULTS } from './ledger/broken-usage.js';
import { WINDOW_FAULTS } from './ledger/broken-windows.js';
import { type RemovalFaults, removableLedger } from './ledger/removable-ledger.js';

// Fixed seed: a random history must find a fault reliably here.
fastCheck.configureGlobal({ seed: 1, endOnFailure: true });

/** Several handles on one memory ledger, each broken separately: behaves like a ledger over a storage. */
async function createShared(breaks: Break): Promise<LedgerUnderTest> {
  const sound = memoryLedger();
  const connect = async () => handleOn({ ...sound, ...breaks(sound, systemClock) });
  return { ledger: await connect(), connect, reopen: connect, now: () => Date.now(), dispose: () => sound.close() };
}

/** Runs the tests of the given names. @returns the names of those that fail. */
async function failuresAmong(
  names: readonly string[],
  { create, supports }: Pick<LedgerConformanceOptions, 'create' | 'supports'>,
): Promise<string[]> {
  const tests = new Map<string, () => Promise<void>>();
  const runner = { describe: (_name, body) => body(), it: (name, body) => tests.set(name, body) } satisfies TestRunner;
  ledgerConformance({ ...runner, create, ...(supports && { supports }) });
  const failures: string[] = [];
  for (const name of names) {
    const body = tests.get(name);
    if (body === undefined) throw new Error(`the suite has no test "${name}"`);
    await body().catch(() => failures.push(name));
  }
  return failures;
}

const alone = (breaks: Break) => ({
  create: async (): Promise<LedgerUnderTest> => {
    const clock = createFakeClock();
    const sound = memoryLedger({ clock });
    const ledger = { ...sound, ...breaks(sound, clock) };
    return { ledger, ...clock, dispose: () => sound.close() };
  },
  supports: { clock: true },
});

const shared = (breaks: Break) => ({
  create: () => createShared(breaks),
  supports: { connections: true, reopen: true },
});

const removable = (faults: RemovalFaults) => ({
  create: async (): Promise<LedgerUnderTest> => {
    const clock = createFakeClock();
    const ledger = removableLedger(memoryLedger({ clock }), faults);
    const advance = (ms: number) => clock.advance(ms);
    return { ledger, removal: ledger, now: () => clock.now(), advance, dispose: () => ledger.close() };
  },
  supports: { clock: true, removal: true },
});

const sound: Break = () => ({});

describe('ledgerConformance', () => {
  const ofOneHandle = [FAULTS, WINDOW_FAULTS, ADMISSION_FAULTS, USAGE_FAULTS].flatMap(Object.entries<Faults[string]>);
  it.each(ofOneHandle)('catches a ledger that %s', async (_fault, [breaks, ...caughtBy]) => {
    expect(await failuresAmong(caughtBy, alone(breaks))).toEqual(caughtBy);
  });

  it.each(Object.entries(SHARING_FAULTS))('catches a ledger that %s', async (_fault, [breaks, ...caughtBy]) => {
    expect(await failuresAmong(caughtBy, shared(breaks))).toEqual(caughtBy);
  });

  it.each(Object.entries(REMOVAL_FAULTS))('catches a ledger that %s', async (_fault, [faults, ...caughtBy]) => {
    expect(await failuresAmong(caughtBy, removable(faults))).toEqual(caughtBy);
    expect(await failuresAmong(caughtBy, removable({}))).toEqual([]);
  });

  it('passes a sound ledger in the same tests', async () => {
    const names = (faults: Iterable<Faults[string]>) => [
      ...new Set([...faults].flatMap(([, ...caughtBy]) => caughtBy)),
    ];
    expect(await failuresAmong(names(ofOneHandle.map(([, fault]) => fault)), alone(sound))).toEqual([]);
    expect(await failuresAmong(names(Object.values({ ...FAULTS, ...SHARING_FAULTS })), shared(sound))).toEqual([]);
  });

  describe('for handles that share their money', () => {
    ledgerConformance({ describe, it, randomRuns: 20, ...shared(sound) });
  });
});
