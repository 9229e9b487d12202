import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { BodyWriter, Delivery, StreamedBody } from '../http/gateway-request.js';

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
export type BodyProgress = Pick<Delivery, 'bufferedBytes' | 'writtenBytes'>;

/** Writes a body to node's response. A class, because an object literal with accessors takes half a kB more. */
export class ResponseWriter implements BodyWriter, BodyProgress {
  readonly #res: Response;
  #isEnded = false;
  /** Where compression was last found full, which does not tell how much it holds. */
  #fullFrom = Number.POSITIVE_INFINITY;
  writtenBytes = 0;

  constructor(res: Response) {
    this.#res = res;
    if (res.flush !== undefined) res.on('drain', () => (this.#fullFrom = Number.POSITIVE_INFINITY));
  }

  write(text: string): void {
    const res = this.#res;
    if (res.destroyed || res.writableEnded) return;
    // Node counts the characters of texts that wait, and the bytes of texts that are sent.
    const bytes = Buffer.from(text);
    if (!res.write(bytes) && res.flush !== undefined) this.#fullFrom = Math.min(this.#fullFrom, this.writtenBytes);
    this.writtenBytes += bytes.length;
    res.flush?.();
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
    return Math.max(this.writtenBytes - this.#fullFrom, this.#res.writableLength);
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
    // A host that has answered itself destroys our body only.
    if (!this.#readable.destroyed) this.#res.destroy();
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

/** Whether the caller disconnected before the end. Node also destroys sent responses, and a reset stream of HTTP/2 counts as finished. */
function isGone({ destroyed, stream, writableEnded, writableFinished }: Response, isEnded: boolean): boolean {
  return stream === undefined ? destroyed && !(isEnded && writableFinished) : stream.destroyed && !writableEnded;
}
