import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { mcp } from './mcp.js';

const METHODS = ['initialize', 'ping', 'tools/list', 'tools/call'];
const INITIALIZE = { protocolVersion: '2025-11-25', clientInfo: { name: 'test', version: '1' }, capabilities: {} };
const LIST = Array.from({ length: 20_000 }, () => 1);
const FIELDS = Object.fromEntries(LIST.map((value, index) => [`k${index}`, value]));
const LIST_MODELS = { name: 'list_models', arguments: {} };

async function send(method: string, params: unknown, version?: string) {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const calls = { call: () => Promise.reject(new Error('no tool asks')), models: () => [], refused: () => undefined };
  const clock = createFakeClock();
  const { status, body: text } = await mcp().respond({ body, header: () => version, clock }, calls);
  return { status, text: text as string, json: JSON.parse(text as string) as unknown };
}

describe.each(METHODS)('%s', (method) => {
  it.each<[string, unknown]>([
    ['wrong entries in a list of what the client is', { ...INITIALIZE, clientInfo: { icons: LIST } }],
    ['wrong capabilities', { ...INITIALIZE, capabilities: { experimental: FIELDS } }],
    ['wrong arguments', { ...LIST_MODELS, arguments: FIELDS }],
    ['arguments that are a list', { ...LIST_MODELS, arguments: LIST }],
    ['wrong metadata', { ...INITIALIZE, ...LIST_MODELS, _meta: { progressToken: LIST, ...FIELDS } }],
    ['a wrong task', { ...LIST_MODELS, task: LIST }],
    ['unknown fields', { ...INITIALIZE, ...LIST_MODELS, ...FIELDS }],
    ['a cursor', { ...INITIALIZE, ...LIST_MODELS, cursor: LIST }],
  ])('with %s gets no more than usual', async (_what, params) => {
    const { text } = await send(method, params);
    expect(text.length).toBeLessThan(5_000);
  });
});

it.each<[string, unknown, string]>([
  ['initialize', {}, 'params.protocolVersion must be a string.'],
  ['tools/call', undefined, 'params.name must be a string.'],
  ['tools/call', [], 'params must be an object.'],
  ['tools/call', { name: 7 }, 'params.name must be a string.'],
  ['tools/call', { name: 'list_models', arguments: [] }, 'params.arguments must be an object.'],
])('%s reports the fault of the parameters %j', async (method, params, message) => {
  const { status, json } = await send(method, params);
  expect(status).toBe(200);
  expect(json).toMatchObject({ id: 1, error: { code: -32_602, message } });
});

it.each([
  ['2025-06-18', '2025-06-18'],
  ['1999-01-01', '2025-11-25'],
])('a client of version %s gets %s', async (protocolVersion, negotiated) => {
  const { json } = await send('initialize', { ...INITIALIZE, protocolVersion }, protocolVersion);
  expect(json).toMatchObject({ result: { protocolVersion: negotiated, serverInfo: { name: 'searchgate' } } });
});
