import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { BodyWriter, StreamedBody } from '../http/gateway-request.js';

/** Node's response with optional fields of middleware and HTTP/2. */
type Response = ServerResponse & {
  /** Set by compression middleware, which buffers writes until `flush`. */
  flush?: () => void;
  /** Only of HTTP/2, whose responses do not tell that they were closed. */
  readonly stream?: { readonly destroyed: boolean };
};

/** Writes a body to node's response. A class, because an object literal with accessors takes half a kB more. */
export class ResponseWriter implements BodyWriter {
  readonly #res: Response;
  #isEnded = false;

  constructor(res: Response) {
    this.#res = res;
  }

  write(text: string): void {
    const res = this.#res;
    if (res.destroyed || res.writableEnded) return;
    res.write(text);
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
    return this.#res.writableLength;
  }

  /** Some hosts end the response of a disconnected caller, which node then reports as sent (h3 2.0.8, seen 2026-11-26). */
  get isClosed(): boolean {
    return isGone(this.#res, this.#isEnded);
  }
}

/** A body as a stream, for frameworks that write responses themselves. The response tells how many bytes have not been sent. */
export function readableBody(body: StreamedBody, res: Response): Readable {
  const readable = new Readable(PUSHED);
  body.pipeTo(new ReadableWriter(readable, res));
  return readable;
}

/** Parts are pushed when they come, not on demand. */
const PUSHED = { read: () => undefined };

class ReadableWriter implements BodyWriter {
  readonly #readable: Readable;
  readonly #res: Response;

  constructor(readable: Readable, res: Response) {
    this.#readable = readable;
    this.#res = res;
  }

  write(text: string): void {
    if (this.#readable.destroyed) return;
    this.#readable.push(text);
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

/** Whether the caller disconnected before the end. Node also destroys sent responses, and a reset stream of HTTP/2 counts as finished. */
function isGone({ destroyed, stream, writableEnded, writableFinished }: Response, isEnded: boolean): boolean {
  return stream === undefined ? destroyed && !(isEnded && writableFinished) : stream.destroyed && !writableEnded;
}
