import { expect, it } from 'vitest';
import { hangup } from './hangup.js';

it.each([
  { before: false, now: false, means: 'reload' },
  { before: true, now: true, means: 'reload' },
  { before: true, now: false, means: 'gone' },
])('SIGHUP means $means with a terminal at the start: $before, and now: $now', ({ before, now, means }) => {
  const answers = [before, now];
  const heard: string[] = [];
  const hear = hangup(
    { onTerminalGone: () => heard.push('gone'), onReload: () => heard.push('reload') },
    () => answers.shift() ?? now,
  );
  hear();
  expect(heard).toEqual([means]);
});
