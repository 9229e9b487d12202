import { gatewayRouter } from '@searchgate/express';
import { startChromium } from '@searchgate-internal/test-servers';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleClient } from './bundle.js';
import { KEY, listen, OUTCOME, QUESTION, startGateway } from './stage.js';

/** Runs in the page. */
const SCRIPT = `(async () => {
  const { createClient } = searchgate;
  const client = createClient({ baseUrl: location.origin + '/search', apiKey: '${KEY}' });
  const { answer } = await client.answer(${JSON.stringify(QUESTION)});
  const types = [];
  for await (const { type } of client.answerStream(${JSON.stringify(QUESTION)})) types.push(type);
  const { total_usage } = await client.credits();
  const moved = createClient({ baseUrl: location.origin + '/moved', apiKey: '${KEY}' });
  const { reason, status } = await moved.key().catch((error) => error);
  return { answer, types, total_usage, moved: { reason, status } };
})()`;

describe('the client in a page', () => {
  it('gets an answer and a stream, and follows no redirect', async ({ skip }) => {
    const browser = await startChromium();
    if ('reason' in browser) return skip(browser.reason);
    onTestFinished(() => browser.close());
    const { script } = await bundleClient('iife');
    const app = express();
    app.use('/search', gatewayRouter(startGateway().gateway));
    app.use('/moved', (req, res) => res.redirect(307, `/search${req.url}`));
    app.get('/', (_req, res) => res.type('html').send(`<!doctype html><script>${script}</script>`));
    const page = await browser.newPage();
    await page.goto(await listen(app));
    expect(await page.evaluate(SCRIPT)).toEqual({
      answer: OUTCOME.text,
      types: ['start', 'citations', 'delta', 'delta', 'done'],
      total_usage: 0.02,
      moved: { reason: 'invalid_reply', status: null },
    });
  });
});
