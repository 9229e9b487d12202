import type { Contender } from './engine.js';

/** A contender that knows how many pairs it has done. */
export interface CountingContender extends Contender {
  pairsDone(): number;
}

export function counting(contender: Contender): CountingContender {
  let done = 0;
  return {
    ...contender,
    async pairs(load) {
      const sample = await contender.pairs(load);
      done += sample.pairs;
      return sample;
    },
    pairsDone: () => done,
  };
}
