import type { Socket } from 'node:net';

/**
 * Most informational replies (1xx) before a reply: more than one a second within the longest deadline of a listed model. Each has at most the
 * size of any head, 16 KiB by undici's default.
 */
export const MAX_INFORMATIONAL = 1_000;

/**
 * Lets undici read `100 Continue` as `102 Processing`. Clients must ignore every 1xx, even without asking for it (RFC 9110, section 15.2). Undici 7.30.2
 * does so except for 100, at which it closes the connection (`onHeadersComplete` in lib/dispatcher/client-h1.js, read 2026-11-22).
 */
export function readPastContinue(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const heads = new InformationalHeads();
  let bytesAnswered = 0;
  socket.read = (size?: number) => {
    const chunk = read(size);
    // Requests are not pipelined: a new reply is expected only if bytes were written since the last reply began.
    if (chunk !== null && socket.bytesWritten > bytesAnswered && heads.pass(chunk)) bytesAnswered = socket.bytesWritten;
    return chunk;
  };
}

const [CR, LF, ZERO, ONE, TWO] = Buffer.from('\r\n012') as unknown as readonly [number, number, number, number, number];
/** The index of the status in a head, after `HTTP/1.1 `. */
const STATUS_AT = 9;

/** Scans the heads before a reply byte by byte, because a chunk may end anywhere. */
class InformationalHeads {
  /** The index of the next byte in the status line; `null` after the status of an informational head. */
  #column: number | null = 0;
  #lineLength = 0;
  #mayBeContinue = false;

  /** Changes a status 100 in place. @returns whether the final reply has begun; the next scan then begins with another reply. */
  pass(chunk: Buffer): boolean {
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (this.#column === null) this.#skip(byte);
      else if (this.#column === STATUS_AT && byte !== ONE) {
        this.#column = 0;
        return true;
      } else if (this.#column === STATUS_AT + 2) {
        if (this.#mayBeContinue && byte === ZERO) chunk[index] = TWO;
        this.#column = null;
        this.#lineLength = STATUS_AT;
      } else if (byte !== CR && byte !== LF) {
        this.#mayBeContinue = byte === ZERO;
        this.#column += 1;
      }
    }
    return false;
  }

  /** An empty line ends a head. */
  #skip(byte: number | undefined): void {
    if (byte === CR) return;
    if (byte === LF && this.#lineLength === 0) this.#column = 0;
    this.#lineLength = byte === LF ? 0 : this.#lineLength + 1;
  }
}
