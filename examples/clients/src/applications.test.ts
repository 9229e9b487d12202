import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MODEL, SECRET, startServer, type TestServer } from './test-server.js';

// Where the requests come from: docs/clients/chat-apps.md.

interface Recorded {
  readonly what: string;
  readonly body: { readonly stream: boolean };
  readonly expect: { readonly status: number; readonly code?: string; readonly param?: string };
}

const recorded = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`), 'utf8')) as Recorded[];

const WHOLE = /^\{[^]*"message":\{"role":"assistant","content":"It opened in[^]*\}$/;
const STREAMED = /"content":"It opened in[^]*"finish_reason":"stop"[^]*data: \[DONE\]\n\n$/;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const send = (path: string, body?: object) =>
  fetch(server.baseURL + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

describe.each(['librechat', 'open-webui'])('what %s sends', (application) => {
  const requests = recorded(application);
  const isRefused = ({ expect: { status } }: Recorded) => status >= 400;

  it.each(requests.filter(isRefused))('$what is refused', async ({ body, expect: { status, code, param } }) => {
    const response = await send('/chat/completions', body);
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code, param } }]);
  });

  it.each(requests.filter((request) => !isRefused(request)))('$what is answered', async ({ body }) => {
    const response = await send('/chat/completions', body);
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(body.stream ? STREAMED : WHOLE);
  });
});

describe('a list of models that an application fetches', () => {
  it('has an id for each model, including models that cannot be called', async () => {
    const { data } = (await (await send('/models')).json()) as { data: { id: string; category: string }[] };
    expect(data.map(({ id }) => id)).toContain(MODEL);
    expect(data.some(({ category }) => category !== 'answer')).toBe(true);
  });

  it('is not found with a query in the base URL', async () => {
    expect((await send('?category=answer/models')).status).toBe(404);
  });
});
