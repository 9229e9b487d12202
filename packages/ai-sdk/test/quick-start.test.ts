import { expect, it, onTestFinished, vi } from 'vitest';
import { KEY, mountGateway, OUTCOME } from './mounted-gateway.js';

it('gets an answer with the lines that the README prints', async () => {
  const { baseUrl } = await mountGateway();
  vi.stubEnv('SEARCHGATE_URL', baseUrl);
  vi.stubEnv('SEARCHGATE_API_KEY', KEY);
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    log.mockRestore();
  });
  await import('./quick-start.js');
  const sources = [expect.objectContaining({ title: 'A' }), expect.objectContaining({ title: 'B' })];
  expect(log.mock.calls).toEqual([[OUTCOME.text, sources]]);
});
