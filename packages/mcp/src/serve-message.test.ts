import type { ExtensionCalls } from '@searchgate/core/extensions';
import { createFakeClock } from '@searchgate/testing';
import { expect, it } from 'vitest';
import { mcp } from './mcp.js';

const body = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_answer', arguments: { query: 'Q' } },
};
const request = { body, header: () => undefined, clock: createFakeClock() };

function callsThat(call: ExtensionCalls['call']): ExtensionCalls {
  return { call, models: () => [] };
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
