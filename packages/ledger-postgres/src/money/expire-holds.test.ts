import { describe, expect, it } from 'vitest';
import type { Database } from '../engine/database.js';
import { expireHolds, forgetOld } from './expire-holds.js';

/** A database that gives these answers, and then more of the last one. */
function databaseOf<T>(...answers: T[]) {
  const sent: string[] = [];
  const write = async (operation: string) => {
    sent.push(operation);
    return answers.length > 1 ? answers.shift() : answers[0];
  };
  return { database: { write } as unknown as Database, sent };
}

const batch = (found: number, ended = found) => ({ found, ended });

describe('expireHolds', () => {
  it.each([
    ['until fewer are found than end at once', [batch(200), batch(200), batch(3)], 403, 3],
    ['only once where few are due', [batch(3)], 3, 1],
    ['until five in a row have ended nothing, which others end', [batch(200, 0)], 0, 5],
    [
      'on where one of five ended something',
      [...Array.from({ length: 4 }, () => batch(200, 0)), batch(200, 1), batch(200, 0)],
      1,
      10,
    ],
    ['no more where the function says nothing', [undefined], 0, 1],
  ])('asks %s', async (_when, answers, count, statements) => {
    const { database, sent } = databaseOf(...answers);
    expect(await expireHolds(database, 5)).toBe(count);
    expect(sent).toHaveLength(statements);
  });
});

describe('forgetOld', () => {
  const FUNCTIONS = ['forget_ended_holds', 'forget_claims', 'forget_counters'];

  it.each([
    ['once where few are old', 999, 1],
    ['at most 20 times in one sweep', 1_000, 20],
    ['once where the function says nothing', undefined, 1],
  ])('asks for each kind %s', async (_when, forgotten, times) => {
    const { database, sent } = databaseOf(forgotten);
    await forgetOld(database, 1);
    expect(sent).toEqual(FUNCTIONS.flatMap((name) => Array.from({ length: times }, () => name)));
  });
});
