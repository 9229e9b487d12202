import { describe, expect, it } from 'vitest';
import type { Script } from '../lua/opening.js';
import { createBatcher } from './batcher.js';

const SCRIPT: Script = { keys: ['meta'], source: 'one', takesMany: true };
const OTHER: Script = { keys: ['meta'], source: 'other', takesMany: true };

/** Answers each operation with its token, or as the test says. */
function submitTo(answer?: () => unknown) {
  const runs: { source: string; words: readonly string[] }[] = [];
  const submit = createBatcher(async (script, words) => {
    runs.push({ source: script.source, words });
    return answer === undefined ? tokensOf(words).map((token) => ['did', token]) : answer();
  });
  return { submit, runs };
}

/** Each operation here has one value. */
const tokensOf = (words: readonly string[]) => words.filter((_, index) => index % 3 === 0);

const tokens = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);

describe('operations of one turn', () => {
  it('are one run of their script, and each gets its own reply', async () => {
    const { submit, runs } = submitTo();
    const replies = await Promise.all([
      submit(SCRIPT, 'a', ['x']),
      submit(OTHER, 'b', ['y']),
      submit(SCRIPT, 'c', ['z']),
    ]);
    expect(replies).toEqual([
      ['did', 'a'],
      ['did', 'b'],
      ['did', 'c'],
    ]);
    expect(runs).toEqual([
      { source: 'one', words: ['a', '1', 'x', 'c', '1', 'z'] },
      { source: 'other', words: ['b', '1', 'y'] },
    ]);
  });

  it('are 32 a run at most, and no run is empty', async () => {
    const { submit, runs } = submitTo();
    await Promise.all(tokens(65).map((token) => submit(SCRIPT, token, ['x'])));
    expect(runs.map(({ words }) => tokensOf(words))).toEqual([
      tokens(65).slice(0, 32),
      tokens(65).slice(32, 64),
      tokens(65).slice(64),
    ]);
    await Promise.all(tokens(32).map((token) => submit(SCRIPT, token, ['x'])));
    expect(runs).toHaveLength(4);
  });

  it('of a later turn are a run of their own', async () => {
    const { submit, runs } = submitTo();
    await submit(SCRIPT, 'a', ['x']);
    await submit(SCRIPT, 'b', ['x']);
    expect(runs.map(({ words }) => tokensOf(words))).toEqual([['a'], ['b']]);
  });

  it('all get a reply that is no list, as of a refusal', async () => {
    const { submit } = submitTo(() => ['refused by', 'schema_mismatch', 'why']);
    const replies = await Promise.all(tokens(2).map((token) => submit(SCRIPT, token, ['x'])));
    expect(replies).toEqual(Array(2).fill(['refused by', 'schema_mismatch', 'why']));
  });

  it('fail alone where their reply says so', async () => {
    const { submit } = submitTo(() => [['did'], ['failed with', 'ERR why'], ['did']]);
    const settled = await Promise.allSettled(tokens(3).map((token) => submit(SCRIPT, token, ['x'])));
    expect(settled).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: new Error('ERR why') },
      { status: 'fulfilled' },
    ]);
  });

  it.each([
    ['no array', () => 'OK', TypeError],
    ['fewer replies than operations', () => [['did']], TypeError],
    [
      'an error',
      () => {
        throw new RangeError('lost');
      },
      RangeError,
    ],
  ])('fail together where the server gives %s', async (_, answer, error) => {
    const { submit } = submitTo(answer);
    const settled = await Promise.allSettled(tokens(2).map((token) => submit(SCRIPT, token, ['x'])));
    expect(settled[1]).toMatchObject({ status: 'rejected', reason: expect.any(error) as unknown });
  });
});
