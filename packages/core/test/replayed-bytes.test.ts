import { chatCompletions, responses } from '@searchgate/dialects';
import { expect, it, onTestFinished } from 'vitest';
import { toFetchHandler } from '../src/index.js';
import type { ProviderQuestion } from '../src/provider-kit/index.js';
import { KEY, OUTCOME, start, streaming } from './scripted-gateway.js';

const QUERY = 'When did it open?';
const DOORS: [path: string, question: object, end: RegExp][] = [
  ['answer', { query: QUERY }, /"usage"/],
  ['answer', { query: QUERY, max_output_tokens: 9 }, /"truncated":true/],
  ['chat/completions', { messages: [{ role: 'user', content: QUERY }] }, /"finish_reason":"stop"/],
  ['chat/completions', { messages: [{ role: 'user', content: QUERY }], max_tokens: 9 }, /"finish_reason":"length"/],
  ['responses', { input: QUERY }, /"status":"completed"/],
  ['responses', { input: QUERY, max_output_tokens: 9 }, /"incomplete_details":\{"reason":"max_output_tokens"\}/],
];

it.each(DOORS)('the reply of %s to %j is replayed byte for byte, however late', async (path, question, end) => {
  const outcome = (isCut: boolean) => (isCut ? { ...OUTCOME, text: '', citations: [], truncated: true } : OUTCOME);
  const plain = streaming(({ maxOutputTokens }, _context, live) => {
    const reply = outcome(maxOutputTokens !== undefined);
    if (reply.text !== '') live.text(reply.text);
    return Promise.resolve(reply);
  });
  const features = ['citations', 'streaming', 'max_output_tokens'] as const;
  const answer = { ...plain.answer!, answer: async (call: ProviderQuestion) => outcome('maxOutputTokens' in call) };
  const provider = { ...plain, models: plain.models.map((model) => ({ ...model, features })), answer };
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
  expect(first).toEqual({ text: expect.stringMatching(end), replayed: null });
  await clock.advance(3_600_000);
  expect(await ask(false)).toEqual({ text: first.text, replayed: 'true' });
  const streamed = await ask(true);
  expect(streamed.text).toMatch(end);
  expect(streamed.text).not.toMatch(/"delta":""|"delta":\{"content":""\}|event: delta\ndata: \{"text":""/);
  await clock.advance(3_600_000);
  expect(await ask(true)).toEqual(streamed);
  expect((await totals()).key).toBe(5_000_000n);
});
