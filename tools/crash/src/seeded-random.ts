/** Reproducible random numbers: the printed seed of a failed run repeats it as far as the machine allows. */
export interface SeededRandom {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** A whole number, both ends inclusive. */
  between(least: number, most: number): number;
  /** One of several, all equally likely. @throws Error without choices. */
  pick<T>(choices: readonly T[]): T;
  chance(probability: number): boolean;
}

/** The seed of a run. @param given the value of `CRASH_SEED`; without it every run has a new seed. */
export function chooseSeed(given: string | undefined): number {
  if (given === undefined || given === '') return Math.floor(Math.random() * 2 ** 32);
  if (!/^\d{1,10}$/.test(given)) throw new Error(`CRASH_SEED: found "${given}", expected a whole number.`);
  return Number(given);
}

/** The generator known as mulberry32: 32 bits of state are plenty for choosing moments and questions. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick(choices) {
      const chosen = choices[Math.floor(next() * choices.length)];
      if (chosen === undefined) throw new Error('nothing to pick from');
      return chosen;
    },
    chance: (probability) => next() < probability,
  };
}
