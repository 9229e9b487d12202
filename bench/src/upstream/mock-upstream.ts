import net from 'node:net';
import { announceReady, serveCommands } from '../processes/commands.js';
import { chatCompletionReply, exaReply } from './replies.js';

/**
 * The provider: answers every request with the same bytes. Written on a bare socket, because a full HTTP server would take CPU from the
 * server under test. Argument: the delay before each reply in milliseconds.
 */
const delayMs = Number(process.argv[2] ?? 0);
const HEAD_END = Buffer.from('\r\n\r\n');
const EXA = httpResponse(exaReply());
const CHAT_COMPLETION = httpResponse(chatCompletionReply());

let served = 0;

function httpResponse(body: Buffer): Buffer {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** Reads one client's requests. Clients never pipeline: a request is over when its body is, and then one reply is due. */
function serve(socket: net.Socket): void {
  let unread = Buffer.alloc(0);
  let bodyBytesLeft = -1;
  let reply = EXA;

  function finishRequest(): void {
    bodyBytesLeft = -1;
    served += 1;
    if (delayMs > 0) setTimeout(() => socket.write(reply), delayMs);
    else socket.write(reply);
  }

  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    if (bodyBytesLeft < 0) {
      unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
      const headEnd = unread.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = unread.toString('latin1', 0, headEnd);
      reply = head.startsWith('POST /answer ') ? EXA : CHAT_COMPLETION;
      bodyBytesLeft = contentLength(head) - (unread.length - headEnd - HEAD_END.length);
      unread = Buffer.alloc(0);
    } else {
      bodyBytesLeft -= chunk.length;
    }
    if (bodyBytesLeft <= 0) finishRequest();
  });
}

/** A body of unknown length is refused: every client here knows what it sends. */
function contentLength(head: string): number {
  const match = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (match === null) throw new Error(`a request without content-length:\n${head}`);
  return Number(match[1]);
}

const server = net.createServer(serve);
server.listen(0, '127.0.0.1', () => announceReady((server.address() as net.AddressInfo).port));
serveCommands({ served: () => served });
