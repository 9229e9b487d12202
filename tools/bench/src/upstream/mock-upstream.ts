import net from 'node:net';
import { announceReady, serve } from '../processes/serve.js';
import { chatReply, exaReply } from './exa-reply.js';
import { endStreams, openStream } from './exa-stream.js';

/** The provider: answers every request of a path with the same bytes, or with a stream. A bare socket, since an HTTP server would use the tested server's CPU. */
const HEAD_END = Buffer.from('\r\n\r\n');
const STREAMED = '"stream":true';
const NOTHING = Buffer.alloc(0);
const BODIES = { '/answer': exaReply(), '/v1/chat/completions': chatReply() };
const REPLIES = new Map(
  Object.entries(BODIES).map(([path, body]) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    return [path, Buffer.concat([Buffer.from(head), body])];
  }),
);

let served = 0;
const upstream = { served: () => served, endStreams };
export type MockUpstream = typeof upstream;

/** Answers one client's requests. Clients do not pipeline: each complete body gets one reply. */
function answer(socket: net.Socket): void {
  let unread: Buffer = NOTHING;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    unread = unread === NOTHING ? chunk : Buffer.concat([unread, chunk]);
    const headEnd = unread.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = unread.toString('latin1', 0, headEnd);
    const bodyBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
    const reply = REPLIES.get(head.split(' ', 2)[1] ?? '');
    if (Number.isNaN(bodyBytes) || reply === undefined) throw new Error(`an unexpected request: ${head}`);
    if (unread.length < headEnd + HEAD_END.length + bodyBytes) return;
    const isStreamed = unread.includes(STREAMED, headEnd);
    unread = NOTHING;
    served += 1;
    if (isStreamed) openStream(socket);
    else socket.write(reply);
  });
}

const server = net.createServer(answer);
server.listen(0, '127.0.0.1', () => announceReady((server.address() as net.AddressInfo).port));
serve(upstream);
