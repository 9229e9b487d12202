import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTS, type Mounted, post, toolCall } from './hosts.js';
import { delivered, MODEL, startGateway, type TestGateway } from './mounted-gateway.js';

describe.each(Object.entries(HOSTS))('POST /api/v1/mcp, at %s,', (name, mount) => {
  let running: TestGateway;
  let mounted: Mounted;
  beforeAll(async () => {
    running = startGateway();
    mounted = await mount(running.gateway);
  });
  afterAll(() => mounted.close());

  it.each([
    ['no key', { authorization: '' }, /^missing_api_key$|^malformed_authorization$/, /^Bearer realm="searchgate"/],
    ['a wrong key', { authorization: 'Bearer wrong' }, /^invalid_api_key$/, /error="invalid_token"$/],
  ])('refuses %s with a challenge, as a JSON-RPC error', async (_case, headers, reason, challenge) => {
    const response = await post(mounted, toolCall('list_models', {}), headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(challenge);
    expect(response.json).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32_000,
        message: expect.any(String),
        data: expect.objectContaining({ code: 401, reason: expect.stringMatching(reason), retryable: false }),
      },
    });
  });

  it.each(['GET', 'DELETE'])('has no sessions: %s is not allowed', async (method) => {
    const headers = { accept: 'text/event-stream' };
    const response = await mounted.fetch(`${mounted.url}/api/v1/mcp`, { method, headers });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { data: { reason: 'method_not_allowed' } } });
  });

  it('takes notifications without an answer', async () => {
    const response = await post(mounted, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(response).toMatchObject({ status: 202, text: '' });
  });

  it.each([
    ['that is not a JSON-RPC message', { id: 1, method: 'ping' }, 400, -32_600],
    ['of an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/list' }, 200, -32_601],
    ['that calls an unknown tool', toolCall('delete_everything', {}), 200, -32_602],
    ['with a protocol version from nowhere', { jsonrpc: '2.0', id: 1, method: 'ping' }, 400, -32_022],
  ])('answers a message %s with a JSON-RPC error', async (text, message, status, code) => {
    const response = await post(
      mounted,
      message,
      text.includes('version') ? { 'mcp-protocol-version': '1999-01-01' } : {},
    );
    expect(response.status).toBe(status);
    expect(response.json).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });

  it.each(['9007199254740993', '-9007199254740992', '1e400', '1.5'])(
    'refuses what it cannot repeat: %s as id or progress token',
    async (number) => {
      const call = JSON.stringify(toolCall('search_answer', { query: 'When?', model: MODEL }));
      const sent = (id: string, token: string) =>
        call.replace('"id":7', `"id":${id}`).replace('"arguments"', `"_meta":{"progressToken":${token}},"arguments"`);
      const error = { code: -32_600, message: expect.stringContaining('53 bits') };
      expect(await post(mounted, sent(number, '1'))).toMatchObject({ status: 400, json: { id: null, error } });
      for (const accept of ['application/json', 'application/json, text/event-stream'])
        expect(await post(mounted, sent('7', number), { accept })).toMatchObject({
          status: 400,
          json: { id: 7, error },
        });
      expect(running.asked).toEqual([]);
    },
  );

  it.each([['{'], ['[]']])('refuses %s as a body', async (body) => {
    // A parser of the host answers first, with its own page.
    if (name.includes('express.json') && body === '{') return;
    const response = await post(mounted, body);
    expect(response.status).toBe(400);
    expect(response.json).toMatchObject({
      jsonrpc: '2.0',
      error: { code: -32_700, data: { reason: 'malformed_json' } },
    });
  });

  it('answers a client that accepts only JSON, with its rate limit', async () => {
    const response = await post(mounted, toolCall('search_answer', { query: 'When?', model: MODEL }), {
      accept: 'application/json',
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(response.json).toMatchObject({ id: 7, result: { structuredContent: { cost: 0.01 } } });
  });

  it('ends every request in one event', async () => {
    await delivered();
    const before = running.events.length;
    await post(mounted, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await post(mounted, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { authorization: 'Bearer wrong' });
    await delivered();
    expect(running.events.slice(before)).toMatchObject([
      { type: 'request_finished', endpoint: 'mcp', status: 200, reason: null, cost: null },
      { type: 'request_finished', endpoint: 'mcp', status: 401, reason: 'invalid_api_key' },
    ]);
  });
});

it('leaves the path to the host unless the endpoint is enabled', async () => {
  const { gateway, events } = startGateway({ endpoints: {} });
  const mounted = await HOSTS['node:http']!(gateway);
  const response = await fetch(`${mounted.url}/api/v1/mcp`, { method: 'POST', body: '{}' });
  expect([response.status, await response.text()]).toEqual([404, 'of the host']);
  expect(events).toEqual([]);
  await mounted.close();
});
