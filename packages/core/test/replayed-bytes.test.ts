import { chatCompletions, responses } from '@searchgate/dialects';
import { expect, it, onTestFinished } from 'vitest';
import { toFetchHandler } from '../src/index.js';
import { KEY, OUTCOME, start, streaming } from './scripted-gateway.js';

const QUERY = 'When did it open?';
const DOORS = {
  answer: { query: QUERY },
  'chat/completions': { messages: [{ role: 'user', content: QUERY }] },
  responses: { input: QUERY },
};

it.each(Object.entries(DOORS))('the reply of %s is replayed byte for byte, however late', async (path, question) => {
  const provider = streaming((_call, _context, live) => {
    live.text(OUTCOME.text);
    return Promise.resolve(OUTCOME);
  });
  const { gateway, clock, totals } = start([provider], {
    endpoints: { chatCompletions: chatCompletions(), responses: responses() },
  });
  onTestFinished(() => gateway.close());
  const handler = toFetchHandler(gateway);
  const ask = async (stream: boolean) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'idempotency-key': 'one' };
    const body = JSON.stringify({ model: 'exa/answer', ...question, stream });
    const response = await handler(
      new Request(`http://gateway.test/api/v1/${path}`, { method: 'POST', headers, body }),
    );
    return { text: await response.text(), replayed: response.headers.get('idempotent-replayed') };
  };
  const first = await ask(false);
  expect(first.replayed).toBeNull();
  await clock.advance(3_600_000);
  expect(await ask(false)).toEqual({ text: first.text, replayed: 'true' });
  const streamed = await ask(true);
  await clock.advance(3_600_000);
  expect(await ask(true)).toEqual(streamed);
  expect((await totals()).key).toBe(5_000_000n);
});
