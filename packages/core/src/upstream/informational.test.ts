import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readPastContinue } from './informational.js';

const OK = 'HTTP/1.1 200 OK\r\n\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const PROCESSING = CONTINUE.replace('100', '102');
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\nx: HTTP/1.1 100\r\n\r\n';

/** A connection on which a request has been written. */
function start() {
  const chunks: string[] = [];
  const sizes: unknown[] = [];
  const socket = {
    bytesWritten: 10,
    read(size?: number) {
      sizes.push(size);
      const chunk = chunks.shift();
      return chunk === undefined ? null : Buffer.from(chunk, 'latin1');
    },
  };
  readPastContinue(socket as unknown as Socket);
  const receive = (...parts: string[]) => {
    chunks.push(...parts);
    return parts.map(() => String(socket.read())).join('');
  };
  return { socket, sizes, receive };
}

describe('informational replies', () => {
  it.each([
    ['none', OK, OK],
    ['100', CONTINUE + OK, PROCESSING + OK],
    ['100 twice', CONTINUE + CONTINUE + OK, PROCESSING + PROCESSING + OK],
    ['100 without a reason', `HTTP/1.1 100\r\n\r\n${OK}`, `HTTP/1.1 102\r\n\r\n${OK}`],
    ['100 with headers', `HTTP/1.1 100 C\r\nx: y\r\n\r\n${CONTINUE}`, `HTTP/1.1 102 C\r\nx: y\r\n\r\n${PROCESSING}`],
    ['100 with bare line feeds', `HTTP/1.1 100 C\nx: y\n\n${CONTINUE}`, `HTTP/1.1 102 C\nx: y\n\n${PROCESSING}`],
    ['100 behind empty lines', `\r\n\n${CONTINUE}${OK}`, `\r\n\n${PROCESSING}${OK}`],
    ['103', HINTS + OK, HINTS + OK],
    ['103, then 100', HINTS + CONTINUE + OK, HINTS + PROCESSING + OK],
    ['110', `HTTP/1.1 110 X\r\n\r\n${CONTINUE}`, `HTTP/1.1 110 X\r\n\r\n${PROCESSING}`],
    ['a reply of 200 that ends like one of 100', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue', ''],
  ])('change 100 to 102, and nothing else: %s', (_what, sent, read) => {
    const expected = read || sent;
    expect(start().receive(sent)).toBe(expected);
    expect(start().receive(...sent.split(''))).toBe(start().receive(sent));
  });

  it('are not looked for in a body', () => {
    const { receive } = start();
    expect(receive(OK, CONTINUE, CONTINUE)).toBe(OK + CONTINUE + CONTINUE);
  });

  it('come again before the reply to the next request', () => {
    const { socket, receive } = start();
    receive(CONTINUE + OK);
    socket.bytesWritten += 5;
    expect(receive(CONTINUE, OK, CONTINUE)).toBe(PROCESSING + OK + CONTINUE);
  });

  it('do not change other readers of the connection', () => {
    const { socket, sizes } = start();
    expect(socket.read(7)).toBeNull();
    expect(sizes).toEqual([7]);
  });
});
