/** A figure with the bounds of its 95 % interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The difference of two models. */
export interface Difference extends Interval {
  /** Whether the interval excludes 0, of at least {@link LEAST_QUESTIONS} questions. */
  readonly distinguishable: boolean;
}

/** The quantile of the normal distribution for 95 %. */
const Z = 1.959963984540054;
const RESAMPLES = 2_000;
/** Of 10 questions, the bootstrap calls equal models different in up to 9 % of cases, and the variance between them is hardly known. */
const LEAST_QUESTIONS = 20;

/** Numbers from 0 to below 1: mulberry32, small and the same on every machine. @param seed a whole number. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @returns `undefined` for no values. */
export function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The 50th and the 95th percentile: the smallest value that such a share of the values does not exceed. @returns `undefined` for no values. */
export function percentiles(values: readonly number[]): number[] | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  if (sorted.length > 0) return [0.5, 0.95].map((share) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  return undefined;
}

/**
 * Wilson's interval of a share. Runs of one question resemble each other, so they count as fewer than as many questions: the number of independent
 * observations is estimated from the variance between the questions, and lies between that of the questions and that of the runs. Few questions say too little
 * about it: then it is theirs.
 *
 * @param runs for each question its runs: 1 for yes, 0 for no. @returns `undefined` for no questions.
 */
export function shareInterval(runs: readonly (readonly number[])[]): Interval | undefined {
  const means = runs.map((each) => mean(each) ?? 0);
  const value = mean(means);
  if (value === undefined) return undefined;
  const variance = means.reduce((sum, each) => sum + (each - value) ** 2, 0) / Math.max(1, means.length - 1);
  const independent = variance === 0 ? 0 : (value * (1 - value) * means.length) / variance;
  const most = means.length < LEAST_QUESTIONS ? means.length : runs.flat().length;
  const count = Math.min(Math.max(independent, means.length), most);
  const center = value + Z ** 2 / (2 * count);
  const spread = Z * Math.sqrt((value * (1 - value)) / count + Z ** 2 / (4 * count ** 2));
  const bound = (sum: number) => Math.min(1, Math.max(0, sum / (1 + Z ** 2 / count)));
  return { value, low: bound(center - spread), high: bound(center + spread) };
}

/**
 * The mean difference of two models by a paired bootstrap over questions: its interval is that of the middle 95 % of 2,000 resamples, widened for few
 * questions as Student's t is (the "expanded percentile" interval of Hesterberg, doi:10.1080/00031305.2015.1089789).
 *
 * @param differences of the means of each question. @param most the largest that is possible, such as 1 for shares. @returns `undefined` for no questions.
 */
export function pairedDifference(
  differences: readonly number[],
  seed: number,
  most = Number.POSITIVE_INFINITY,
): Difference | undefined {
  const value = mean(differences);
  if (value === undefined) return undefined;
  const values = Float64Array.from(differences);
  const { length } = values;
  const freedom = Math.max(1, length - 1);
  const widening = Math.sqrt(length / freedom) * (1 + (Z ** 2 + 1) / (4 * freedom));
  const random = createRandom(seed);
  const means = new Float64Array(RESAMPLES).map(() => {
    let sum = 0;
    // A loop without callbacks: this is the inner one.
    for (let count = length; count > 0; count -= 1) sum += values[Math.floor(random() * length)] ?? 0;
    return value + (sum / length - value) * widening;
  });
  means.sort();
  const low = Math.max(-most, means[Math.floor(RESAMPLES * 0.025)] ?? value);
  const high = Math.min(most, means[Math.ceil(RESAMPLES * 0.975) - 1] ?? value);
  return { value, low, high, distinguishable: length >= LEAST_QUESTIONS && (low > 0 || high < 0) };
}
