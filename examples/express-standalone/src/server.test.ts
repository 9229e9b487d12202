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
    const searxng = createServer((_, response) => response.end(JSON.stringify({ results: [page] })));
    onTestFinished(() => void searxng.close());
    await once(searxng.listen(0, '127.0.0.1'), 'listening');
    const SEARXNG_BASE_URL = `http://127.0.0.1:${(searxng.address() as AddressInfo).port}`;
    const server = await spawnServer(file, { ...shortDocuments(), SEARXNG_BASE_URL });
    expect(server.stdout()).toMatch(/^Free of charge: .*searxng\/search/m);
    const [, proposed] = /ask search '(.*)'/.exec(server.stdout()) ?? [];
    expect(proposed).toContain('"model":"searxng/search"');
    const [authorization = ''] = /Bearer sg_[\w-]+/.exec(server.stdout()) ?? [];
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/api/v1/search`, { method: 'POST', headers, body: proposed ?? '' });
    expect(await response.json()).toMatchObject({ results: [{ url: page.url }], usage: { cost: 0 } });
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
