/** A figure over several rounds: the middle round, and the quarter marks around it. */
export interface Figure {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function figure(values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** Ratios are taken round by round, so that a slow stretch of the machine meets both sides. */
export function ratio(values: readonly number[], baseline: readonly number[]): Figure {
  return figure(pairs(values, baseline).map(([value, base]) => value / base));
}

/** Differences, likewise round by round. */
export function difference(values: readonly number[], baseline: readonly number[]): Figure {
  return figure(pairs(values, baseline).map(([value, base]) => value - base));
}

function pairs(values: readonly number[], baseline: readonly number[]): [number, number][] {
  return values.flatMap((value, round) => {
    const base = baseline[round];
    return base === undefined ? [] : [[value, base] as [number, number]];
  });
}

function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}
