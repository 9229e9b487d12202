import type { ExtensionCalls, SendEvents } from '@searchgate/core/extensions';
import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { mcp } from './mcp.js';

const body = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_answer', arguments: { query: 'Q' } },
};
const request = { body, header: () => undefined, clock: createFakeClock() };

function callsThat(call: ExtensionCalls['call']): ExtensionCalls {
  return { call, models: () => [], refused: () => undefined };
}

it('throws unexpected errors to the gateway', async () => {
  const bug = new TypeError('secret text of a bug');
  await expect(
    mcp().respond(
      request,
      callsThat(() => Promise.reject(bug)),
    ),
  ).rejects.toBe(bug);
});

it('passes on the arguments except the response format, and adds the default model', async () => {
  const asked: unknown[] = [];
  const calls = callsThat((category, fields) => {
    asked.push([category, fields]);
    return Promise.reject(new Error('enough'));
  });
  const args = { query: 'Q', search: { freshness: 'day' }, max_results: 5, stream: true };
  const params = { name: 'search_answer', arguments: args };
  const message = { ...request, body: { ...body, params } };
  await mcp({ defaultModel: 'fast' })
    .respond(message, calls)
    .catch(() => undefined);
  expect(asked).toEqual([['answer', { query: 'Q', model: 'fast', search: { freshness: 'day' }, max_results: 5 }]]);
});

it.each(['application/json', 'application/json, text/event-stream'])(
  'counts a call of an unknown tool as refused, for a client that accepts %s',
  async (accept) => {
    let refused = 0;
    const calls = { ...callsThat(() => Promise.reject(new Error('none'))), refused: () => void (refused += 1) };
    const params = { name: 'no_tool', arguments: {}, _meta: { progressToken: 0 } };
    const response = await mcp().respond(
      { ...request, header: (name) => (name === 'accept' ? accept : undefined), body: { ...body, params } },
      calls,
    );
    if (typeof response.body === 'function') await response.body(() => undefined);
    expect(refused).toBe(1);
  },
);

describe('the stream of a call with a progress token', () => {
  const token = { progressToken: 0 };
  const message = { ...body, params: { ...body.params, _meta: token } };

  /** Runs a call for 7 seconds. */
  async function stream(end: Promise<never>) {
    const clock = createFakeClock();
    const header = (name: string) => (name === 'accept' ? 'application/json, text/event-stream' : undefined);
    const calls = callsThat(() => end);
    const response = await mcp({ defaultModel: 'fast' }).respond({ body: message, header, clock }, calls);
    const events: string[] = [];
    const ended = (response.body as SendEvents)((text) => void events.push(text));
    await clock.advance(7_000);
    return { events, ended, clock };
  }

  it('ends with an error without its text for a bug, which the gateway gets', async () => {
    let fail = (_bug: Error): void => undefined;
    const { events, ended, clock } = await stream(new Promise((_resolve, reject) => (fail = reject)));
    const bug = new TypeError('secret text of a bug');
    fail(bug);
    await expect(ended).rejects.toBe(bug);
    const messages = events.map(
      (text) => JSON.parse(/^event: message\ndata: (.*)\n\n$/.exec(text)?.[1] ?? '') as unknown,
    );
    const progress = (seconds: number) => ({
      method: 'notifications/progress',
      params: { ...token, progress: seconds },
    });
    const error = { code: -32_603, message: 'Internal error' };
    expect(messages).toMatchObject([progress(0), progress(5), { jsonrpc: '2.0', id: 1, error }]);
    expect(clock.pendingTimers).toBe(0);
  });
});
