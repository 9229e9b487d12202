import { afterEach, expect, test, vi } from 'vitest';
import { startChromium } from './start-chromium.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('where there is no Chromium, a test gets the reason, and in CI it fails', async () => {
  vi.stubEnv('CI', '');
  expect(await startChromium([])).toEqual({ reason: expect.stringContaining('no Chromium') as string });
  vi.stubEnv('CI', 'true');
  await expect(startChromium([])).rejects.toThrow('no Chromium');
});
