import { expect, it } from 'vitest';
import type { Scripts } from '../engine/scripts.js';
import { readCheckpoint, removeEntries, windowedUsageOf } from './remove-entries.js';

/** Scripts that give these replies, and the cursors they were asked from. */
function scriptsOf(...replies: string[][]) {
  const asked: (string | undefined)[] = [];
  const scripts: Scripts = {
    async run(_script, [cursor]) {
      asked.push(cursor);
      return replies.shift() ?? [];
    },
  };
  return { scripts, asked };
}

it('puts a checkpoint together from as many scripts as it takes', async () => {
  const { scripts, asked } = scriptsOf(
    ['5', '7', 'org acme', '100 30'],
    ['5', '0', 'key key-1', '30 20000 1 2 3', 'budget acme team:research', '30 20000 1 2 3 4'],
  );
  const windows = { usage: 30n, latestDay: 20_000, beforeDay: 1n, beforeWeek: 2n, beforeMonth: 3n };
  expect(await readCheckpoint(scripts)).toEqual({
    cut: '5',
    organizations: new Map([['acme', { credits: 100n, usage: 30n }]]),
    keys: new Map([['key-1', windows]]),
    budgets: new Map([['acme team:research', { ...windows, beforeIdle: 4n }]]),
  });
  expect(asked).toEqual(['0', '7']);
});

it('gives no checkpoint where the log was cut in between', async () => {
  const { scripts } = scriptsOf(['5', '7'], ['6', '0']);
  await expect(readCheckpoint(scripts)).rejects.toThrow('audit the ledger again');
});

it('knows what a checkpoint has of any kind, and passes over kinds it does not know', async () => {
  const { scripts } = scriptsOf(['', '0', 'org acme', '100', 'other x', '1 2', 'key key-1', '30']);
  expect(await readCheckpoint(scripts)).toEqual({
    cut: '',
    organizations: new Map([['acme', { credits: 100n, usage: 0n }]]),
    keys: new Map([['key-1', windowedUsageOf('30 0 0 0 0')]]),
    budgets: new Map(),
  });
});

it('removes entries by as many scripts as it takes', async () => {
  const { scripts, asked } = scriptsOf(['200', 'more'], ['200', 'more'], ['7', 'done']);
  expect(await removeEntries(scripts, '500')).toBe(407);
  expect(asked).toEqual(['500', '500', '500']);
});

it('ends where a script that removes says nothing', async () => {
  const { scripts, asked } = scriptsOf(['200', 'more']);
  expect(await removeEntries(scripts, '500')).toBe(200);
  expect(asked).toHaveLength(2);
});

it('removes nothing for what is no cursor', async () => {
  const { scripts, asked } = scriptsOf(['200', 'more']);
  await expect(removeEntries(scripts, '0')).rejects.toMatchObject({
    reason: 'invalid_cursor',
    message: 'cursor: expected the nextCursor of an earlier page of this ledger',
  });
  expect(asked).toEqual([]);
});
