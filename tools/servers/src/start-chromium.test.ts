import { expect, test } from 'vitest';
import { startChromium } from './start-chromium.js';

test('without Chromium, a test gets the reason', async () => {
  expect(await startChromium([])).toEqual({ reason: expect.stringContaining('no Chromium') as string });
});
