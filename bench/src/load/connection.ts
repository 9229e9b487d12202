import net from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const CHUNKED = -1;

/**
 * One keep-alive connection to the server under test: sends one request at a time and reads just enough of the reply to know its status
 * and its end. Every microsecond spent here is taken from the server under test, which shares the machine.
 */
export class Connection {
  readonly #socket: net.Socket;
  #onReply: (status: number) => void = () => undefined;
  #unread: Buffer | undefined;
  #status = 0;
  /** Of the reply under way; `CHUNKED` when only the last chunk tells the end; undefined before the head is complete. */
  #bodyBytesLeft: number | undefined;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => this.#end(0));
    socket.on('close', () => this.#end(0));
  }

  static async open(port: number): Promise<Connection> {
    const socket = net.connect(port, '127.0.0.1');
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return new Connection(socket);
  }

  /** @param onReply called once, with the status, or 0 when the connection broke. */
  send(request: Buffer, onReply: (status: number) => void): void {
    this.#onReply = onReply;
    this.#socket.write(request);
  }

  close(): void {
    this.#onReply = () => undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#bodyBytesLeft === undefined) this.#readHead(chunk);
    else this.#readBody(chunk, 0);
  }

  #readHead(chunk: Buffer): void {
    const unread = this.#unread === undefined ? chunk : Buffer.concat([this.#unread, chunk]);
    const headEnd = unread.indexOf(HEAD_END);
    if (headEnd < 0) {
      this.#unread = unread;
      return;
    }
    this.#unread = undefined;
    const head = unread.toString('latin1', 0, headEnd);
    this.#status = Number(head.slice(9, 12));
    this.#bodyBytesLeft = this.#status === 304 ? 0 : bodyLength(head);
    this.#readBody(unread, headEnd + HEAD_END.length);
  }

  #readBody(chunk: Buffer, start: number): void {
    if (this.#bodyBytesLeft === CHUNKED) {
      if (chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) this.#end(this.#status);
      return;
    }
    this.#bodyBytesLeft = (this.#bodyBytesLeft ?? 0) - (chunk.length - start);
    if (this.#bodyBytesLeft === 0) this.#end(this.#status);
    else if (this.#bodyBytesLeft < 0) this.#end(0);
  }

  #end(status: number): void {
    this.#bodyBytesLeft = undefined;
    const onReply = this.#onReply;
    this.#onReply = () => undefined;
    onReply(status);
  }
}

function bodyLength(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head);
  return length === null ? CHUNKED : Number(length[1]);
}
