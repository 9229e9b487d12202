import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { readBooks } from '../chaos/day-books.js';
import { CONFIGURATIONS, dayTable } from '../chaos/day-table.js';
import { aloneShare, type DayResult, PROFILES, simulateDay } from '../chaos/simulate-day.js';

/** The day in the documentation. */
const PUBLISHED_SEED = 1;
/** A day on which all three providers are rate limited in the same minutes. */
const HARD_SEED = 13;
const GOAL = 0.999;
const DOCUMENT = join(import.meta.dirname, '../../../../docs/routing.md');
const TABLE = /(?<=<!-- chaos:start -->\n\n)[^]*(?=\n\n<!-- chaos:end -->)/;
/** Long: a day takes a few seconds. */
const TIMEOUT_MS = 300_000;

/** The results of one day, filled before the tests that read them. */
function day(seed: number) {
  const results = new Map<string, DayResult>();
  beforeAll(async () => {
    for (const [name, configuration] of Object.entries(CONFIGURATIONS)) {
      results.set(name, await simulateDay(seed, configuration));
    }
  }, TIMEOUT_MS);
  const resultOf = (name: string) => {
    const result = results.get(name);
    if (result === undefined) throw new Error(`there was no day with ${name}`);
    return result;
  };
  return { seed, results, resultOf };
}

type Day = ReturnType<typeof day>;

/** The failures by reason of a day that misses the goal. */
function tooManyFailures({ durationsMs, calls, failures }: DayResult): [string, number][] {
  return durationsMs.length / calls < GOAL ? [...failures] : [];
}

function accountsForEveryAmount({ resultOf }: Day): void {
  it.each(Object.keys(CONFIGURATIONS))('with %s all amounts add up, and no hold or timer is left', async (name) => {
    const { ledger, billed, durationsMs, timersLeft } = resultOf(name);
    const { charges, owed, charged, usage, usageOfKeys } = await readBooks(ledger);
    expect(charges).toBe(durationsMs.length);
    expect(owed).toBe(billed);
    const counted = charged.map((amount) => ({ usage: amount, held: 0n }));
    expect(usage).toMatchObject(counted);
    expect(usageOfKeys).toMatchObject(counted);
    expect(timersLeft).toBe(0);
  });
}

function reachesTheGoal({ seed, resultOf }: Day): void {
  it.each([...PROFILES.entries()])('provider %i alone answers 97 of 100 calls', (index) => {
    expect(aloneShare(seed, index)).toBeGreaterThan(0.96);
    expect(aloneShare(seed, index)).toBeLessThan(0.98);
  });

  it('one provider behind the gateway answers fewer than 99.9 % of calls', () => {
    expect(tooManyFailures(resultOf('no fallback'))).not.toEqual([]);
  });

  it.each(['fallback', 'fallback and hedging', 'latency routing'])('%s answers at least 99.9 % of calls', (name) => {
    expect(tooManyFailures(resultOf(name))).toEqual([]);
  });
}

describe('on the published simulated day', () => {
  const published = day(PUBLISHED_SEED);
  accountsForEveryAmount(published);
  reachesTheGoal(published);

  it('the table in docs/routing.md matches the seed', () => {
    const document = readFileSync(DOCUMENT, 'utf8');
    expect(document).toMatch(TABLE);
    const written = document.replace(TABLE, dayTable(published.results));
    if (process.env['CHAOS_WRITE'] === '1') writeFileSync(DOCUMENT, written);
    expect(readFileSync(DOCUMENT, 'utf8')).toBe(written);
  });
});

describe('on a hard simulated day', () => {
  const hard = day(HARD_SEED);
  accountsForEveryAmount(hard);
  reachesTheGoal(hard);

  it(
    'three attempts are too few for three models: they leave no retry',
    async () => {
      const { fallback } = CONFIGURATIONS;
      const result = await simulateDay(HARD_SEED, { ...fallback, maxAttempts: 3 });
      expect(tooManyFailures(result).map(([reason]) => reason)).toEqual(['upstream_rate_limited']);
    },
    TIMEOUT_MS,
  );
});

// No goal here: on a random day all three providers may be down at once.
describe('on the simulated day of this run', () => {
  accountsForEveryAmount(day(inject('seed')));
});
