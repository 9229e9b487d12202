import { expect, it } from 'vitest';
import { buildClient } from './build-client.js';
import { SYSTEM_TIMERS } from './call.js';

const QUESTION = { model: 'exa/answer', query: 'When?' };

/** A client that reaches no server, and the URLs it would have called. */
function clientToNowhere() {
  const urls: string[] = [];
  const fetch = (url: string) => {
    urls.push(url);
    return Promise.resolve(new Response(null, { status: 404 }));
  };
  return { urls, client: buildClient({ baseUrl: 'https://gateway.test', fetch }, SYSTEM_TIMERS) };
}

const { client } = clientToNowhere();

it.each<[string, () => Promise<unknown>]>([
  ['answer()', () => client.answer(undefined as never)],
  ['answerStream()', () => client.answerStream(undefined as never).next()],
  ['usage()', () => client.usage(undefined as never)],
  ['answerStatus()', () => client.answerStatus(undefined as never)],
  ['models(null)', () => client.models(null as never)],
  ['key(null)', () => client.key(null as never)],
  ['credits({ timeoutMs: 0 })', () => client.credits({ timeoutMs: 0 })],
  ['answer() of a BigInt', () => client.answer({ ...QUESTION, query: 1n as never })],
  ['answer() with an invalid signal', () => client.answer({ ...QUESTION, signal: {} as AbortSignal })],
])('%s rejects with a TypeError, and does not throw', async (_name, ask) => {
  await expect(ask()).rejects.toThrow(TypeError);
});

it('asks no more for an asynchronous answer that is charged and no longer kept', async () => {
  const bodies = [{ id: 'async_1' }, { id: 'async_1', status: 'held' }, { id: 'async_1', status: 'charged' }];
  const fetch = () => Promise.resolve(Response.json(bodies.shift() ?? {}));
  const asking = buildClient({ baseUrl: 'https://gateway.test', fetch }, SYSTEM_TIMERS);
  await expect(asking.answerAsync({ ...QUESTION, pollMs: 100 })).rejects.toMatchObject({ reason: 'answer_not_found' });
  expect(bodies).toEqual([]);
});

it('sends lone surrogates as replacement characters', async () => {
  const { urls, client: nowhere } = clientToNowhere();
  const rejected = { reason: 'invalid_reply' };
  await expect(nowhere.answerStatus('a\ud800/\u{1f600}')).rejects.toMatchObject(rejected);
  await expect(nowhere.models({ category: '\udfff' as never })).rejects.toMatchObject(rejected);
  await expect(nowhere.usage({ by: 'day', from: '\ud800' })).rejects.toMatchObject(rejected);
  expect(urls).toEqual([
    'https://gateway.test/api/v1/answers/a%EF%BF%BD%2F%F0%9F%98%80',
    'https://gateway.test/api/v1/models?category=%EF%BF%BD',
    'https://gateway.test/api/v1/usage?by=day&from=%EF%BF%BD',
  ]);
});
