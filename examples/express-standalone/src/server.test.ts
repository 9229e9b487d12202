import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import {
  ask,
  SLOW_MS,
  shortDocuments,
  spawnServer,
  standaloneSuite,
  startHeldUpstream,
  temporaryFolder,
} from '@searchgate/server/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const file = new URL('./server.ts', import.meta.url);

standaloneSuite('Express', file);

/** The address of a server that answers every request so. */
async function serve(body: object): Promise<string> {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
  );
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Makes the call that the notice of a server proposes for a path. */
async function proposedCall({ url, stdout }: Awaited<ReturnType<typeof spawnServer>>, path: string): Promise<unknown> {
  const [, body = ''] = new RegExp(`ask ${path} '(.*)'`).exec(stdout()) ?? [];
  const [authorization = ''] = /Bearer sg_[\w-]+/.exec(stdout()) ?? [];
  const headers = { authorization, 'content-type': 'application/json' };
  return (await fetch(`${url}/api/v1/${path}`, { method: 'POST', headers, body })).json();
}

describe('the server process', { timeout: SLOW_MS }, () => {
  it('ends at once on a second signal', async () => {
    const upstream = await startHeldUpstream();
    const server = await spawnServer(file, {
      ...shortDocuments(),
      EXA_API_KEY: 'exa-secret',
      EXA_BASE_URL: upstream.url,
    });
    const pending = ask(server, 'exa/answer').catch((error: unknown) => error);
    await upstream.asked;
    server.kill('SIGINT');
    await expect.poll(() => server.stderr(), { timeout: SLOW_MS }).toContain('stopping');
    server.kill('SIGTERM');
    expect(await server.exited).toBe(143);
    expect(await pending).toBeInstanceOf(Error);
  });

  it('does not wait for a connection that never sends its request', async () => {
    const server = await spawnServer(file, shortDocuments());
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname, () => socket.write('GET /healthz HTTP/1.1\r\nhost:'));
    socket.on('error', () => undefined);
    // A later connection is answered, so the server already has the half request.
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    server.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    socket.destroy();
  });

  it('searches with the SearXNG of SEARXNG_BASE_URL, and says so', async () => {
    const page = { url: 'https://example.org/zephyr', title: 'Zephyr', content: 'Opened in 2021.' };
    const SEARXNG_BASE_URL = await serve({ results: [page] });
    const server = await spawnServer(file, { ...shortDocuments(), SEARXNG_BASE_URL });
    expect(server.stdout()).toMatch(/^Free of charge: .*searxng\/search/m);
    const found = { model: 'searxng/search', results: [{ url: page.url }], usage: { cost: 0 } };
    expect(await proposedCall(server, 'search')).toMatchObject(found);
  });

  it('answers with a SearXNG and a chat server, and says so', async () => {
    const page = { url: 'https://example.org/zephyr', title: 'Zephyr', content: 'The Zephyr Bridge opened in 2021.' };
    const message = { content: 'The Zephyr Bridge opened in 2021 [1]. It is 900 m long [1].' };
    const usage = { prompt_tokens: 9, completion_tokens: 9 };
    const base = await serve({ results: [page], choices: [{ finish_reason: 'stop', message }], usage });
    const variables = { SEARXNG_BASE_URL: base, CHAT_BASE_URL: `${base}/v1`, CHAT_MODEL: 'tiny' };
    const server = await spawnServer(file, { ...shortDocuments(), ...variables });
    expect(server.stdout()).toContain('ask/web');
    expect(await proposedCall(server, 'answer')).toMatchObject({
      model: 'ask/web',
      answer: 'The Zephyr Bridge opened in 2021 [1]. It is 900 m long.',
      citations: [{ url: page.url, snippet: page.content }],
      grounding: { sentences: 2, supported: 1, unsupported: 1, removed: 1 },
      usage: { cost: 0 },
    });
  });

  it('knows its own models when it lists the mistakes in the file', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.json'), JSON.stringify({ aliases: { sort: 'local/rerank' }, markup: '0' }));
    const server = await spawnServer(file, { SEARCHGATE_CONFIG: 'a.json' }, folder);
    expect(await server.exited).toBe(1);
    expect(server.stderr().match(/^ {2}\w.*: found/gm)).toEqual(['  markup: found']);
  });

  it('names a port in use, and the variable that changes it', async () => {
    const documents = shortDocuments();
    const first = await spawnServer(file, documents);
    const { port } = new URL(first.url);
    const second = await spawnServer(file, { ...documents, PORT: port });
    expect(await second.exited).toBe(1);
    expect(second.stderr()).toContain(`PORT: ${port} on 127.0.0.1 is in use by another program`);
    expect(second.stderr()).not.toContain('    at ');
  });

  it('lists all mistakes in the environment, and exits with 1', async () => {
    const server = await spawnServer(file, { PORT: 'http', SEARCHGATE_CONFG: 'config.json' });
    expect(await server.exited).toBe(1);
    expect(server.stdout()).toBe('');
    expect(server.stderr().split('\n')).toEqual([
      'Searchgate could not start.',
      '  PORT: found "http", expected a port from 0 to 65535.',
      expect.stringMatching(
        /^ {2}SEARCHGATE_CONFG: found an unknown option, expected .* Did you mean "SEARCHGATE_CONFIG"\?$/,
      ),
      expect.stringMatching(/^ {2}See https:.*errors\.md#invalid_configuration$/),
      '',
    ]);
  });
});
