import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { BodyWriter, Delivery, DeliveryState, StreamedBody } from '../http/gateway-request.js';

/** Node's response with optional fields of middleware and HTTP/2. */
export type Response = ServerResponse & {
  /** Set by compression middleware, which buffers writes until `flush`. */
  flush?: () => void;
  /** Only of HTTP/2, whose responses do not tell that they were closed. */
  readonly stream?: Http2Stream;
};

interface Http2Stream extends NodeJS.EventEmitter {
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
  close(code: number): void;
  destroy(): void;
}

/** What has been written of a body, and how much of it waits. */
export type BodyProgress = Pick<BodyWriter, 'bufferedBytes'> & Pick<DeliveryState, 'writtenBytes'>;

/** Writes a body to node's response. A class, because an object literal with accessors takes half a kB more. */
export class ResponseWriter implements BodyWriter, BodyProgress {
  readonly #res: Response;
  #isEnded = false;
  /** Bytes since the response was last found full; `null` while it takes more. Compression does not tell what it holds. */
  #heldBytes: number | null = null;
  #hearsDrain = false;
  writtenBytes = 0;

  constructor(res: Response) {
    this.#res = res;
  }

  write(text: string): void {
    const res = this.#res;
    if (res.destroyed || res.writableEnded) return;
    // Node counts the characters of texts that wait, and the bytes of texts that are sent.
    const bytes = Buffer.from(text);
    this.writtenBytes += bytes.length;
    if (this.#heldBytes !== null) this.#heldBytes += bytes.length;
    if (!res.write(bytes) && this.#heldBytes === null) this.#waitForDrain(bytes.length);
    res.flush?.();
  }

  #waitForDrain(heldBytes: number): void {
    this.#heldBytes = heldBytes;
    if (this.#hearsDrain) return;
    this.#hearsDrain = true;
    // Not `once`: compression moves the listener to its own stream, from which node would never remove it.
    this.#res.on('drain', () => (this.#heldBytes = null));
  }

  end(): void {
    if (this.#res.destroyed) return;
    this.#isEnded = true;
    if (!this.#res.writableEnded) this.#res.end();
  }

  destroy(): void {
    this.#res.destroy();
  }

  get bufferedBytes(): number {
    return Math.max(this.#heldBytes ?? 0, this.#res.writableLength);
  }

  /** Some hosts end the response of a disconnected caller, which node then reports as sent (h3 2.0.8, seen 2026-11-26). */
  get isClosed(): boolean {
    return isGone(this.#res, this.#isEnded);
  }
}
/** A body as a stream, for frameworks that write responses themselves. The response tells how many bytes have not been sent. */
export function readableBody(body: StreamedBody, res: Response): { body: Readable; progress: BodyProgress } {
  const readable = new Readable(PUSHED);
  const progress = new ReadableWriter(readable, res);
  body.pipeTo(progress);
  return { body: readable, progress };
}

/** Parts are pushed when they come, not on demand. */
const PUSHED = { read: () => undefined };

class ReadableWriter implements BodyWriter, BodyProgress {
  readonly #readable: Readable;
  readonly #res: Response;
  writtenBytes = 0;

  constructor(readable: Readable, res: Response) {
    this.#readable = readable;
    this.#res = res;
  }

  write(text: string): void {
    if (this.#readable.destroyed) return;
    const bytes = Buffer.from(text);
    this.writtenBytes += bytes.length;
    this.#readable.push(bytes);
    this.#res.flush?.();
  }

  end(): void {
    this.#readable.push(null);
  }

  destroy(): void {
    this.#res.destroy();
  }

  get bufferedBytes(): number {
    return this.#readable.readableLength + this.#res.writableLength;
  }

  get isClosed(): boolean {
    return (
      isGone(this.#res, this.#readable.readableEnded) || (this.#readable.destroyed && !this.#readable.readableEnded)
    );
  }
}

/** For a body without a reader, because the host has already answered. */
export const NO_READER: BodyWriter = {
  write: () => undefined,
  end: () => undefined,
  destroy: () => undefined,
  bufferedBytes: 0,
  isClosed: true,
};

/** The most of a long body that is given to node at once: node reports no progress within a write. */
export const PIECE_BYTES = 65_536;

/** A long body in pieces, each of which is read when the response takes more. */
export function bodyInPieces(bytes: Uint8Array, res: Response): { body: Readable; progress: BodyProgress } {
  let at = 0;
  const body = new Readable({
    read() {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      at += piece.length;
      body.push(piece.length === 0 ? null : piece);
    },
  });
  const progress = {
    writtenBytes: bytes.length,
    get bufferedBytes() {
      return bytes.length - at + body.readableLength + res.writableLength;
    },
  };
  return { body, progress };
}

/** How a response of node fares. */
export function deliveryOf(req: IncomingMessage, res: Response, progress: BodyProgress | undefined): Delivery {
  const { stream } = res;
  return {
    look: () => ({
      unsentBytes: progress?.bufferedBytes ?? res.writableLength,
      writtenBytes: progress?.writtenBytes ?? 0,
      // Node gives a connection to one response after the other.
      isBehindOther: stream === undefined && res.socket === null,
      isOver: isOver(req, res),
    }),
    destroy() {
      // Else the caller would take the part for the whole.
      stream?.close(NGHTTP2_CANCEL);
      (stream ?? req.socket).destroy();
    },
  };
}

/** Whether a response is sent, or can no longer be sent. Node does not close responses behind that of a connection that has closed. */
export function isOver(req: IncomingMessage, { stream, writableFinished, destroyed }: Response): boolean {
  if (stream !== undefined) return stream.destroyed || stream.writableFinished;
  return writableFinished || destroyed || req.socket.destroyed;
}

const NGHTTP2_CANCEL = 8;

/** Whether the caller disconnected before the end. Node also destroys sent responses, and a reset stream of HTTP/2 counts as finished. */
function isGone({ destroyed, stream, writableEnded, writableFinished }: Response, isEnded: boolean): boolean {
  return stream === undefined ? destroyed && !(isEnded && writableFinished) : stream.destroyed && !writableEnded;
}
