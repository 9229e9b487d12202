import { chatCompletions, responses } from '@searchgate/dialects';
import { expect, it } from 'vitest';
import { CALLS, everyPort } from '../../testing/test/every-port.js';
import { openApiDocument } from '../src/http/openapi/open-api-document.js';
import { toFetchHandler } from '../src/index.js';
import { KEY, OUTCOME, scripted, start } from './scripted-gateway.js';

const extension = { name: 'tools', path: '/api/v1/mcp', respond: () => Promise.resolve({ status: 200, body: '{}' }) };
const dialects = { chatCompletions: chatCompletions(), responses: responses(), mcp: extension };
const endpoints = { ...dialects, usage: true, asyncAnswers: true };
const question = { model: 'exa/answer', query: 'When?', messages: undefined, input: undefined };
const BODIES: Readonly<Record<string, object>> = {
  ...Object.fromEntries(Object.entries(CALLS).map(([name, body]) => [`/api/v1/${name}`, body])),
  '/api/v2/rerank': CALLS.rerank,
  '/api/v1/answer': question,
  '/api/v1/chat/completions': { ...question, query: undefined, messages: [{ role: 'user', content: 'When?' }] },
  '/api/v1/responses': { ...question, query: undefined, input: 'When?' },
  '/api/v1/mcp': {},
};
const PATHS = Object.entries(openApiDocument({ endpoints }).paths).map(([path, operations]) => {
  const isDialect = Object.values(dialects).some((dialect) => dialect.path === path);
  return [path.replace(/\{.*\}/, 'any'), Object.keys(operations)[0]?.toUpperCase(), isDialect] as const;
});

async function call(source: string, [path, method]: readonly [string, string | undefined, boolean]) {
  const { gateway, totals } = start([everyPort, scripted('exa', [OUTCOME]).provider], { endpoints });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-client-source': source };
  const body = method === 'POST' ? JSON.stringify(BODIES[path]) : null;
  const response = await toFetchHandler(gateway)(
    new Request(`http://localhost${path}`, { method: method ?? '', headers, body }),
  );
  const text = await response.text();
  await gateway.close();
  return { status: response.status, text, usage: (await totals()).usage };
}

it.each(PATHS)('%s of our own form refuses Tavily’s clients, and charges nothing', async (...row) => {
  const served = await call('searchgate', row);
  expect(served.text).not.toContain('X-Client-Source');
  if (BODIES[row[0]] !== undefined) expect(served.status).toBe(200);
  for (const source of ['tavily-js', 'Tavily-Python', 'TAVILY-js-keyless']) {
    const { status, text, usage } = await call(source, row);
    if (row[2]) expect([status, usage]).toEqual([served.status, served.usage]);
    else {
      expect([status, usage]).toEqual([400, 0n]);
      expect(JSON.parse(text)).toMatchObject({ error: { reason: 'unsupported_field', param: 'X-Client-Source' } });
      expect(text).toContain('Tavily');
    }
  }
});
