import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { OUTCOME, streaming } from './scripted-gateway.js';
import { joined, openStream } from './stream-client.js';
import { connectionsOf, KEY, PRICE, QUESTION, start, stopAfterEach, turn } from './stream-host.js';

stopAfterEach();

/** Asks over a socket that never reads. */
function askAndStall(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  socket.write(
    `POST /api/v1/answer HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\n` +
      `content-length: ${QUESTION.length}\r\n\r\n${QUESTION}`,
  );
  return socket;
}

describe('callers who stop reading', () => {
  it('200 of them block no one, are charged, and leave nothing behind', async () => {
    const STALLED = 200;
    let running = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const provider = streaming(async ({ query }, _context, live) => {
      live.citations(OUTCOME.citations);
      live.text('Open since');
      running += 1;
      if (query === 'When?' && running <= STALLED) await released;
      live.text(' 2021 [1].');
      return OUTCOME;
    });
    const { gateway, host, until, totals, waiting } = await start(provider, { maxConnectionsPerProvider: 300 });
    const sockets = Array.from({ length: STALLED }, () => askAndStall(host.port));
    while (running < STALLED) await turn();
    const other = await openStream(host.url, { apiKey: KEY, body: JSON.parse(QUESTION) as object });
    expect(joined(await other.end())).toBe(OUTCOME.text);
    expect(await totals()).toMatchObject({ usage: PRICE, held: BigInt(STALLED) * PRICE });
    release();
    await until(STALLED + 1);
    expect(await totals()).toMatchObject({ usage: BigInt(STALLED + 1) * PRICE, held: 0n });
    expect(waiting.size).toBe(0);
    await gateway.close();
    // The unread part is still readable.
    let text = '';
    for await (const chunk of sockets[0]?.setEncoding('utf8') ?? []) {
      text += String(chunk);
      if (text.includes('event: done')) break;
    }
    for (const socket of sockets) socket.destroy();
    while ((await connectionsOf(host.server)) > 0) await turn();
  });

  it('are disconnected beyond maxUpstreamBytes, and still charged', async () => {
    const MAX_BYTES = 65_536;
    const PARTS = 140;
    const text = `It opened: ${'\u0001'.repeat(10_000)}.`;
    let most = 0;
    const held = new Set<Socket>();
    const provider = streaming(async (_call, _context, live) => {
      for (let sent = 0; sent < PARTS; sent += 1) {
        live.text(text);
        most = Math.max(most, ...[...held].map(({ writableLength }) => writableLength));
        await turn();
      }
      return { ...OUTCOME, text: text.repeat(PARTS) };
    });
    const { host, until, totals, gateway } = await start(provider, { maxUpstreamBytes: MAX_BYTES });
    host.server.on('connection', (socket: Socket) => void held.add(socket));
    const socket = askAndStall(host.port);
    const [finished] = await until(1);
    expect(finished).toMatchObject({ status: 499, reason: 'client_closed_request', cost: PRICE, attempts: 1 });
    expect(await totals()).toMatchObject({ usage: PRICE, held: 0n });
    // In flight, text takes six bytes per character, and one part may exceed the limit.
    expect(most).toBeLessThan(2 * MAX_BYTES + 6 * text.length);
    while ((await connectionsOf(host.server)) > 0) await turn();
    socket.destroy();
    await gateway.close();
  });
});
