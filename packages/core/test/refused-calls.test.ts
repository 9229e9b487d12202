import { request } from 'node:http';
import { chatCompletions, responses } from '@searchgate/dialects';
import { expect, it } from 'vitest';
import type { Extension } from '../src/http/extension.js';
import { handleNode } from '../src/node/index.js';
import { cohere, exa, openai } from '../src/providers/index.js';
import { KEY, OUTCOME, scripted, start } from './scripted-gateway.js';
import { listen, stopAfterEach } from './stream-host.js';

stopAfterEach();

const QUESTION = JSON.stringify({ model: 'mine/answer', query: 'When did it open?' });
const MCP = '/api/v1/mcp';
const PATHS = ['answer', 'search', 'extract', 'rerank', 'embeddings', 'chat/completions', 'responses']
  .map((path) => `/api/v1/${path}`)
  .concat(MCP, '/api/v2/rerank');

function serve(respond: Extension['respond'] = () => Promise.resolve({ status: 202, body: null })) {
  const settings = { apiKey: 'a-key' };
  const running = start([scripted('mine', [OUTCOME]).provider, exa(settings), cohere(settings), openai(settings)], {
    limit: null,
    defaultLimits: { keys: { rateLimit: { requests: 50, periodMs: 50_000 } } },
    endpoints: { chatCompletions: chatCompletions(), responses: responses(), mcp: { name: 'mcp', path: MCP, respond } },
  });
  const read: string[] = [];
  const ask = async (path: string, body = '{', method = 'POST') => {
    const headers: Record<string, string> = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const readBody = () => (read.push(path), Promise.resolve({ bytes: Buffer.from(body) }));
    const call = { method, path, query: '', header: (name: string) => headers[name], readBody, disconnected: false };
    const response = await running.gateway.handle(call);
    const text = typeof response?.body === 'string' ? response.body : '';
    const reason = /too_many_refused_calls/.exec(text)?.[0] ?? null;
    return { status: response?.status, reason, headers: response?.headers };
  };
  const refuse = async (count: number, path = PATHS[0] ?? '', body = '{') => {
    for (let call = 0; call < count; call += 1) await ask(path, body);
  };
  return { ...running, ask, refuse, read };
}

const ANSWERED = { provider: 'mine' };
const REFUSED = { status: 429, reason: 'too_many_refused_calls' };

it('a key with 600 refused calls in a minute is refused at every path with a body, before the body is read', async () => {
  const { ask, refuse, read, clock, totals } = serve();
  await refuse(600);
  read.length = 0;
  for (const path of PATHS) {
    const { headers, ...refusal } = await ask(path, QUESTION);
    expect([path, refusal]).toEqual([path, REFUSED]);
    expect(headers).toMatchObject({ 'retry-after': '1', connection: 'close' });
  }
  expect(read).toEqual([]);
  expect(await ask('/api/v1/key', '', 'GET')).toMatchObject({ status: 200 });
  expect(await totals()).toMatchObject({ usage: 0n, held: 0n });
  await clock.advance(100);
  expect(await ask('/api/v1/answer', QUESTION)).toMatchObject({
    status: 200,
    headers: { ratelimit: '"key";r=49;t=1' },
  });
});

it.each<[string, string, string]>([
  ['an unknown model', '/api/v1/answer', QUESTION.replace('mine', 'no')],
  ['a wrong field', '/api/v1/embeddings', '{"input":[1]}'],
  ['too many values', '/api/v1/rerank', `{"documents":[${'[],'.repeat(20_000)}[]]}`],
  ['a message that an extension refuses', MCP, '{"wrong":true}'],
  ['a call of an extension that is refused', MCP, QUESTION.replace('mine', 'no')],
])('calls with %s are counted', async (_what, path, body) => {
  const { ask, refuse } = serve(async ({ body: message }, calls) => {
    if ('wrong' in message) calls.refused();
    else await calls.call('answer', message);
    return { status: 200, body: '{}' };
  });
  await refuse(600, path, body);
  expect(await ask('/api/v1/answer', QUESTION)).toMatchObject(REFUSED);
});

it('served calls and calls beyond a rate are not counted', async () => {
  const { ask, refuse } = serve();
  await refuse(599);
  await refuse(60, '/api/v1/answer', QUESTION);
  expect(await ask('/api/v1/answer', QUESTION)).toMatchObject({ status: 429, reason: null });
});

it('calls in process have no body, and are not limited', async () => {
  const { refuse, gateway } = serve();
  await refuse(600);
  await expect(gateway.answer({ apiKey: KEY, model: 'mine/answer', query: 'Q' })).resolves.toMatchObject(ANSWERED);
});

it('the refusal does not wait for the body, and closes the connection', async () => {
  const { gateway, refuse } = serve();
  const { port } = await listen((req, res) => void handleNode(gateway, { req, res }));
  await refuse(600);
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'content-length': 2_000_000 };
  const asked = request({ port, method: 'POST', path: '/api/v1/rerank', headers });
  asked.flushHeaders();
  const response = await new Promise((resolve, reject) => asked.on('response', resolve).on('error', reject));
  expect(response).toMatchObject({ statusCode: 429, headers: { connection: 'close' } });
  asked.destroy();
});
