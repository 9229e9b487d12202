import { connect } from 'node:net';
import {
  ask,
  SLOW_MS,
  shortDocuments,
  spawnServer,
  standaloneSuite,
  startHeldUpstream,
} from '@searchgate/server/testing';
import { describe, expect, it } from 'vitest';

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
