import { describe, expect, it } from 'vitest';
import { createRandom, mean, pairedDifference, percentiles, shareInterval } from './statistics.js';

const SEEDS = Array.from({ length: 1_000 }, (_, at) => at + 1);

/** The runs of a fake model that is right with a known share. Of some questions all runs are alike. */
function fakeRuns(truth: number, { questions, runs, alike }: Shape, random: () => number): number[][] {
  return Array.from({ length: questions }, () => {
    const first = Number(random() < truth);
    const isAlike = random() < alike;
    return Array.from({ length: runs }, () => (isAlike ? first : Number(random() < truth)));
  });
}

interface Shape {
  readonly questions: number;
  readonly runs: number;
  /** The share of questions whose runs are all alike. */
  readonly alike: number;
}

const SHAPES: readonly Shape[] = [
  { questions: 200, runs: 1, alike: 0 },
  { questions: 200, runs: 3, alike: 0 },
  { questions: 200, runs: 3, alike: 0.5 },
  { questions: 200, runs: 3, alike: 1 },
];

describe.each([0.9, 0.7, 0.5])('a model that is right in %d of cases', (truth) => {
  it.each(SHAPES)('has it in 93 to 97 % of intervals: $questions questions, $runs runs, $alike alike', (shape) => {
    const covering = SEEDS.filter((seed) => {
      const { low = 0, high = 0 } = shareInterval(fakeRuns(truth, shape, createRandom(seed))) ?? {};
      return low <= truth && truth <= high;
    });
    expect(covering.length).toBeGreaterThanOrEqual(930);
    expect(covering.length).toBeLessThanOrEqual(970);
  });

  it.each([
    { questions: 20, runs: 1, alike: 0 },
    { questions: 40, runs: 3, alike: 0.5 },
  ])(
    'differs from an equal one in at most 7 % of comparisons: $questions questions, $runs runs, $alike alike',
    (shape) => {
      const wrong = SEEDS.filter((seed) => {
        const random = createRandom(seed);
        const [one, other] = [fakeRuns(truth, shape, random), fakeRuns(truth, shape, random)];
        const differences = one.map((runs, at) => (mean(runs) ?? 0) - (mean(other[at] ?? []) ?? 0));
        return pairedDifference(differences, seed)?.distinguishable;
      });
      expect(wrong.length).toBeLessThanOrEqual(70);
    },
  );
});

describe('a difference', () => {
  it('of 90 and 70 % is seen with 200 questions', () => {
    const seen = SEEDS.slice(0, 50).filter((seed) => {
      const random = createRandom(seed);
      const draws = Array.from({ length: 200 }, () => Number(random() < 0.9) - Number(random() < 0.7));
      return pairedDifference(draws, seed)?.distinguishable;
    });
    expect(seen.length).toBeGreaterThan(47);
  });

  it('of fewer than 20 questions is never called distinguishable', () => {
    expect(pairedDifference(Array<number>(19).fill(1), 1)).toEqual({
      value: 1,
      low: 1,
      high: 1,
      distinguishable: false,
    });
    expect(pairedDifference(Array<number>(20).fill(1), 1)?.distinguishable).toBe(true);
    expect(pairedDifference([1, -1, 1, -1], 1, 1)).toMatchObject({ low: -1, high: 1 });
  });

  it('is the same for the same seed', () => {
    const draws = Array.from({ length: 50 }, (_, at) => (at % 3) - 0.9);
    expect(pairedDifference(draws, 7)).toEqual(pairedDifference(draws, 7));
    expect(pairedDifference(draws, 7)).not.toEqual(pairedDifference(draws, 8));
  });
});

describe('the interval of a share', () => {
  it("is Wilson's where each question was asked once", () => {
    const { value, low, high } =
      shareInterval([...Array<number[]>(81).fill([1]), ...Array<number[]>(19).fill([0])]) ?? {};
    // Computed from the formula in Python.
    expect([value, low?.toFixed(6), high?.toFixed(6)]).toEqual([0.81, '0.722212', '0.874852']);
  });

  it('stays within 0 and 1, and does not shrink when the same runs are repeated', () => {
    const once = shareInterval([[1], [1], [1]]);
    expect(once).toMatchObject({ value: 1, high: 1 });
    expect(
      shareInterval([
        [1, 1],
        [1, 1],
        [1, 1],
      ]),
    ).toEqual(once);
  });

  it('of nothing does not exist', () => {
    expect([shareInterval([]), mean([]), percentiles([]), pairedDifference([], 1)]).toEqual(Array(4).fill(undefined));
  });
});

it('takes percentiles that are values', () => {
  expect(percentiles([3, 1, 2])).toEqual([2, 3]);
  expect(percentiles(Array.from({ length: 100 }, (_, at) => at + 1))).toEqual([50, 95]);
});
