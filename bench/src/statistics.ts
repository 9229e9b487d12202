/** A figure over several rounds: the middle round, and the quarter marks around it. */
export interface Figure {
  readonly rounds: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Takes one number out of what a round has measured. */
export type Read<Round> = (round: Round) => number;

export function figure(values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    rounds: sorted.length,
    median: figureAt(sorted, 0.5),
    low: figureAt(sorted, 0.25),
    high: figureAt(sorted, 0.75),
  };
}

export function figureOf<Round>(rounds: readonly Round[], read: Read<Round>): Figure {
  return figure(rounds.map(read));
}

/** Round by round against another server, so that a slow stretch of the machine meets both sides. */
export function ratioOf<Round>(rounds: readonly Round[], base: readonly Round[], read: Read<Round>): Figure {
  return figure(pairs(rounds, base).map(([round, other]) => read(round) / read(other)));
}

/** Likewise, as a difference. */
export function differenceOf<Round>(rounds: readonly Round[], base: readonly Round[], read: Read<Round>): Figure {
  return figure(pairs(rounds, base).map(([round, other]) => read(round) - read(other)));
}

function pairs<Round>(rounds: readonly Round[], base: readonly Round[]): [Round, Round][] {
  return rounds.flatMap((round, index) => {
    const other = base[index];
    return other === undefined ? [] : [[round, other] as [Round, Round]];
  });
}

/** The figure that this share of the others, in ascending order, is not above. */
export function figureAt(sorted: ArrayLike<number>, share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}
