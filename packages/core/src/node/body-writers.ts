import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { BodyWriter, StreamedBody } from '../http/gateway-request.js';

/** Node's response with what may be on it besides. */
type Response = ServerResponse & {
  /** Compression middleware keeps what it gets until it has enough, unless it is asked to pass it on. */
  flush?: () => void;
  /** Of HTTP/2, whose responses do not say that they have been closed. */
  readonly stream?: { readonly destroyed: boolean };
};

/** Writes a body straight to node's response. A class, because an object with accessors of its own takes half a kB more. */
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

  /** Hosts may end the response of a caller that has gone, which then counts as sent whole (h3 2.0.8, seen 2026-11-26). */
  get isClosed(): boolean {
    return isGone(this.#res, this.#isEnded);
  }
}

/** A body as a stream, for frameworks that write responses themselves. The response tells how much of it has not been sent. */
export function readableBody(body: StreamedBody, res: Response): Readable {
  const readable = new Readable(PUSHED);
  body.pipeTo(new ReadableWriter(readable, res));
  return readable;
}

/** Nothing is fetched on demand: parts come when they come. */
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

/** For a body that no one waits for, because the host has answered in our place. */
export const NO_READER: BodyWriter = {
  write: () => undefined,
  end: () => undefined,
  destroy: () => undefined,
  bufferedBytes: 0,
  isClosed: true,
};

/** Node destroys responses that have been sent whole too; a stream of HTTP/2 that was reset counts as finished. */
function isGone({ destroyed, stream, writableEnded, writableFinished }: Response, isEnded: boolean): boolean {
  return stream === undefined ? destroyed && !(isEnded && writableFinished) : stream.destroyed && !writableEnded;
}
