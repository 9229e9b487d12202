import { createFakeClock } from '@searchgate/testing';
import { expect, it } from 'vitest';
import { throttledLogger } from './logger.js';

function start() {
  const clock = createFakeClock();
  const lines: [string, unknown][] = [];
  const log = (fields: Record<string, unknown>, message: string) => void lines.push([message, fields['leftOut'] ?? 0]);
  return { clock, lines, logger: throttledLogger({ warn: log, error: log }, clock) };
}

it('logs the first line of a kind at once, then one in ten seconds, and counts every line', async () => {
  const { clock, lines, logger } = start();
  for (let second = 0; second < 25; second += 1) {
    for (let line = 0; line < 100; line += 1) logger.error({ second }, 'failed');
    await clock.advance(1_000);
  }
  logger.warn({}, 'another kind');
  await clock.advance(20_000);
  expect(lines).toEqual([
    ['failed', 0],
    ['failed', 998],
    ['failed', 999],
    ['another kind', 0],
    ['failed', 499],
  ]);
  expect(lines.reduce((sum, [, leftOut]) => sum + 1 + Number(leftOut), 0)).toBe(2_501);
  expect(clock.pendingTimers).toBe(0);
});

it('logs at once again after ten seconds without a line', async () => {
  const { clock, lines, logger } = start();
  logger.error({}, 'failed');
  await clock.advance(10_000);
  logger.error({}, 'failed');
  expect(lines).toHaveLength(2);
});

it('logs every line that gives up the money of a hold', () => {
  const { lines, logger } = start();
  for (let hold = 0; hold < 3; hold += 1) logger.error({ holdId: `hold-${hold}`, final: true }, 'given up');
  logger.error({ final: true }, 'given up');
  expect(lines).toHaveLength(3);
});
