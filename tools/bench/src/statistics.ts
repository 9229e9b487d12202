/** A figure over several rounds: median and quartiles. */
export interface Figure {
  readonly rounds: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export type Read<Round> = (round: Round) => number;

export function figure(values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => figureAt(sorted, share)) as [number, number, number];
  return { rounds: sorted.length, median, low, high };
}

export function figureOf<Round>(rounds: readonly Round[], read: Read<Round>): Figure {
  return figure(rounds.map(read));
}

/** The ratio to another server round by round, so that slow moments of the machine affect both sides. */
export function ratioOf<Round>(rounds: readonly Round[], base: readonly Round[], read: Read<Round>): Figure {
  return figure(rounds.slice(0, base.length).map((round, index) => read(round) / read(base[index] ?? round)));
}

/** The smallest value with this share of the ascending values at or below it. */
export function figureAt(sorted: ArrayLike<number>, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}
