import { describe, expect, it } from 'vitest';
import type { Scripts } from '../engine/scripts.js';
import type { Script } from '../lua/opening.js';
import { EXPIRE } from '../scripts/expire-script.js';
import { FORGET_BUDGETS } from '../scripts/forget-script.js';
import { PACK } from '../scripts/pack-script.js';
import { packSums, redisMoney } from './redis-money.js';

/** Scripts that give these replies, and then more of the last one. */
function moneyOf(...replies: string[][]) {
  const asked: [script: Script, values: readonly string[]][] = [];
  const scripts: Scripts = {
    async run(script, values) {
      asked.push([script, values]);
      return (replies.length > 1 ? replies.shift() : replies[0]) ?? [];
    },
  };
  return { money: redisMoney(scripts, 500), scripts, asked };
}

describe('a sweep', () => {
  it.each([
    ['where nothing is due', [['0', '0'], ['0'], ['done']], 0, [EXPIRE, FORGET_BUDGETS, PACK]],
    ['where less is due than it ends at once', [['99', '98'], ['0'], ['done']], 98, [EXPIRE, FORGET_BUDGETS, PACK]],
    [
      'as long as all it may look at once is due, also where others end it',
      [['100', '100'], ['100', '0'], ['3', '3'], ['100'], ['99'], ['more'], ['done']],
      103,
      [EXPIRE, EXPIRE, EXPIRE, FORGET_BUDGETS, FORGET_BUDGETS, PACK, PACK],
    ],
  ])('ends holds, forgets budgets, then packs sums, %s', async (_when, replies, ended, scripts) => {
    const { money, asked } = moneyOf(...replies);
    expect(await money.expireHolds(12)).toBe(ended);
    expect(asked.map(([script]) => script)).toEqual(scripts);
    expect(asked[0]?.[1]).toEqual(['12', '100', '500']);
    expect(asked.at(-1)?.[1]).toEqual([]);
  });

  it('leaves sums to the next one where there are too many', async () => {
    const { money, asked } = moneyOf(['0', '0'], ['more']);
    await money.expireHolds(12);
    expect(asked).toHaveLength(2 + 200);
  });

  it.each([
    [3, [['more']], 3],
    [3, [['more'], ['done']], 2],
    [3, [[]], 1],
    [0, [['more']], 0],
  ])('packs by at most %d scripts', async (most, replies, scripts) => {
    const { scripts: given, asked } = moneyOf(...replies);
    await packSums(given, most);
    expect(asked).toHaveLength(scripts);
  });
});
